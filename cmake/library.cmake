# SPDX-License-Identifier: MIT
# libmori_shmem.so, and the same objects as a static library for tests of
# internal functions. Exports come from the list of operations, nowhere else.

file(GLOB MORI_LIBRARY_SOURCES CONFIGURE_DEPENDS
	${PROJECT_SOURCE_DIR}/src/util/*.c
	${PROJECT_SOURCE_DIR}/src/stream/*.c
	${PROJECT_SOURCE_DIR}/src/core/*.c
	${PROJECT_SOURCE_DIR}/src/accel/*.c
	${PROJECT_SOURCE_DIR}/src/boot/*.c
	${PROJECT_SOURCE_DIR}/src/emu/*.c
	${PROJECT_SOURCE_DIR}/src/nic/*.c
	${PROJECT_SOURCE_DIR}/src/net/*.c)

# libfabric and libibverbs (of rdma-core 34 or later) are loaded at run time; only their headers are
# needed here.
mori_find_headers(FABRIC "libfabric headers" rdma/fi_rma.h libfabric-dev
	"other nodes are reached over TCP only")
if(NOT MORI_FABRIC)
	list(FILTER MORI_LIBRARY_SOURCES EXCLUDE REGEX "/src/net/fabric[^/]*$")
endif()
mori_find_headers(VERBS "verbs headers" infiniband/mlx5dv.h libibverbs-dev
	"kernels cannot drive NICs, the host does it for them")
if(NOT MORI_VERBS)
	list(FILTER MORI_LIBRARY_SOURCES EXCLUDE REGEX "/src/net/verbs(_(lib|scan|qp|mlx5|devx|bnxt|ionic))?[.]c$")
endif()

# The drivers are loaded at run time. The library's own kernels are made by clang: PTX in a C file, and
# a code object for each AMD GPU in another.
set(MORI_KERNELS)
set(MORI_CUDA ON)
set(MORI_HIP ON)
find_program(MORI_AMD_LLD NAMES ld.lld-23 ld.lld-22 ld.lld-21 ld.lld-20 ld.lld-19 ld.lld)
find_program(MORI_AMD_LLC NAMES llc-23 llc-22 llc-21 llc-20 llc-19 llc)
if(MORI_WITH_CUDA STREQUAL "OFF")
	set(MORI_CUDA OFF)
	mori_off("CUDA backend" CUDA "no NVIDIA GPUs, MORI_SHMEM_DEVICE=cuda is an error")
	list(FILTER MORI_LIBRARY_SOURCES EXCLUDE REGEX "/src/accel/cuda[.]c$")
else()
	list(APPEND MORI_KERNELS ${PROJECT_BINARY_DIR}/cuda_kernels.c)
	if(MORI_CLANG_USABLE)
		mori_row("CUDA backend" built "libcuda.so.1 is loaded at run time")
	else()
		mori_missing("CUDA backend" partly CUDA clang-19
			"on NVIDIA GPUs no host atomics, no operations on streams")
	endif()
endif()
if(MORI_WITH_HIP STREQUAL "OFF")
	set(MORI_HIP OFF)
	mori_off("HIP backend" HIP "no AMD GPUs, MORI_SHMEM_DEVICE=hip is an error")
	list(FILTER MORI_LIBRARY_SOURCES EXCLUDE REGEX "/src/accel/hip[^/]*[.]c$")
else()
	list(APPEND MORI_KERNELS ${PROJECT_BINARY_DIR}/hip_kernels.c)
	if(NOT MORI_CLANG_USABLE)
		mori_missing("HIP backend" partly HIP clang-19
			"on AMD GPUs no host atomics, no operations on streams")
	elseif(MORI_AMD_LLD AND MORI_AMD_LLC)
		mori_row("HIP backend" built "libamdhip64.so is loaded at run time")
	else()
		mori_missing("HIP backend" partly HIP lld-22
			"on AMD GPUs no host atomics, no operations on streams")
	endif()
endif()
if(NOT MORI_CUDA AND NOT MORI_HIP)
	list(FILTER MORI_LIBRARY_SOURCES EXCLUDE REGEX "/src/accel/gpu[^/]*[.]c$")
endif()

if(NOT MORI_LIBRARY_SOURCES)
	message(WARNING "no library sources: only mori-list and the checks are built")
	return()
endif()

file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/dev/*.[ch]
	${PROJECT_SOURCE_DIR}/src/abi/*.h ${PROJECT_SOURCE_DIR}/src/target/*.h
	${PROJECT_SOURCE_DIR}/src/nic/*.h
	${PROJECT_SOURCE_DIR}/include/mori/*.h)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/cuda_kernels.c
	COMMAND ${PROJECT_SOURCE_DIR}/tools/embed_kernels.sh "${MORI_CLANG_USABLE}"
		${PROJECT_BINARY_DIR}/cuda_kernels.c
		${MORI_WERROR_FLAG}
	DEPENDS ${kernel_sources} ${PROJECT_SOURCE_DIR}/tools/embed_kernels.sh
	COMMENT "Building the library's own kernels"
	VERBATIM)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/hip_kernels.c
	COMMAND ${PROJECT_SOURCE_DIR}/tools/embed_code_objects.sh
		"${MORI_CLANG_USABLE}" "$<$<BOOL:${MORI_AMD_LLC}>:${MORI_AMD_LLC}>"
		"$<$<BOOL:${MORI_AMD_LLD}>:${MORI_AMD_LLD}>"
		${PROJECT_BINARY_DIR}/hip_kernels.c
		${MORI_WERROR_FLAG}
	DEPENDS ${kernel_sources} ${PROJECT_SOURCE_DIR}/tools/embed_code_objects.sh
	COMMENT "Building the library's own kernels for AMD GPUs"
	VERBATIM)

add_library(mori_shmem_objects OBJECT ${MORI_LIBRARY_SOURCES} ${MORI_KERNELS})
target_include_directories(mori_shmem_objects PUBLIC
	${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(mori_shmem_objects PRIVATE MORI_VERSION="${PROJECT_VERSION}")
if(MORI_FABRIC)
	target_include_directories(mori_shmem_objects SYSTEM PRIVATE ${MORI_FABRIC_INCLUDE})
	target_compile_definitions(mori_shmem_objects PRIVATE MORI_HAVE_FABRIC)
endif()
if(MORI_CUDA)
	target_compile_definitions(mori_shmem_objects PRIVATE MORI_HAVE_CUDA)
endif()
if(MORI_HIP)
	target_compile_definitions(mori_shmem_objects PRIVATE MORI_HAVE_HIP)
endif()
if(MORI_VERBS)
	target_include_directories(mori_shmem_objects SYSTEM PRIVATE ${MORI_VERBS_INCLUDE})
	target_compile_definitions(mori_shmem_objects PRIVATE MORI_HAVE_VERBS)
endif()
# Initial-exec: the binding of a thread is read in every call, and a call into
# the TLS resolver would cost more than the operation.
target_compile_options(mori_shmem_objects PRIVATE -ftls-model=initial-exec)
set_target_properties(mori_shmem_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)

set(MORI_MAP ${PROJECT_BINARY_DIR}/libmori_shmem.map)
add_custom_command(OUTPUT ${MORI_MAP}
	COMMAND mori-list --map > ${MORI_MAP}
	DEPENDS mori-list
	COMMENT "Generating libmori_shmem.map"
	VERBATIM)
add_custom_target(mori_shmem_map DEPENDS ${MORI_MAP})

add_library(mori_shmem SHARED)
target_sources(mori_shmem PRIVATE $<TARGET_OBJECTS:mori_shmem_objects>)
add_dependencies(mori_shmem mori_shmem_map)
option(MORI_PLAIN_SONAME "One file, libmori_shmem.so, without a version in its name" OFF)
if(NOT MORI_PLAIN_SONAME)
	set_target_properties(mori_shmem PROPERTIES
		VERSION ${PROJECT_VERSION}
		SOVERSION ${PROJECT_VERSION_MAJOR})
endif()
set_target_properties(mori_shmem PROPERTIES
	LINKER_LANGUAGE C
	EXPORT_NAME shmem
	LINK_DEPENDS ${MORI_MAP})
target_include_directories(mori_shmem INTERFACE
	$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
	$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_options(mori_shmem PRIVATE -Wl,--version-script=${MORI_MAP})
if(NOT MORI_SANITIZE)
	# A sanitizer's own symbols are resolved by the program it instruments.
	target_link_options(mori_shmem PRIVATE -Wl,-z,defs)
endif()
target_link_libraries(mori_shmem PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
add_library(mori::shmem ALIAS mori_shmem)

add_library(mori_shmem_static STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:mori_shmem_objects>)
set_target_properties(mori_shmem_static PROPERTIES LINKER_LANGUAGE C)
target_include_directories(mori_shmem_static PUBLIC
	${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(mori_shmem_static PUBLIC Threads::Threads ${CMAKE_DL_LIBS} m)
