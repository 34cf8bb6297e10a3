# SPDX-License-Identifier: MIT
# libmori_shmem.so, and the same objects as a static library for tests of
# internal functions. Exports come from the list of operations, nowhere else.

file(GLOB MORI_LIBRARY_SOURCES CONFIGURE_DEPENDS
	${PROJECT_SOURCE_DIR}/src/util/*.c
	${PROJECT_SOURCE_DIR}/src/core/*.c
	${PROJECT_SOURCE_DIR}/src/accel/*.c
	${PROJECT_SOURCE_DIR}/src/boot/*.c
	${PROJECT_SOURCE_DIR}/src/nic/*.c
	${PROJECT_SOURCE_DIR}/src/net/*.c)

# The network path needs libfabric's headers; the library itself is found at run time.
find_path(MORI_FABRIC_INCLUDE rdma/fi_rma.h)
if(NOT MORI_FABRIC_INCLUDE)
	message(STATUS "No headers of libfabric: PEs on other nodes cannot be reached")
	list(FILTER MORI_LIBRARY_SOURCES EXCLUDE REGEX "/src/net/fabric[^/]*$")
endif()

# So does the set-up of real NICs of libibverbs' (rdma-core 34 or later).
find_path(MORI_VERBS_INCLUDE infiniband/mlx5dv.h)
if(MORI_VERBS_INCLUDE)
	list(FILTER MORI_LIBRARY_SOURCES EXCLUDE REGEX "/src/net/verbs_none[.]c$")
else()
	message(STATUS "No headers of libibverbs: kernels cannot drive NICs")
	list(FILTER MORI_LIBRARY_SOURCES EXCLUDE REGEX "/src/net/verbs(_(lib|scan|qp|mlx5|devx|bnxt|ionic))?[.]c$")
endif()

if(NOT MORI_LIBRARY_SOURCES)
	message(WARNING "no library sources: only mori-list and the checks are built")
	return()
endif()

# The library's own kernels, as PTX in a C file; empty without clang.
find_program(MORI_CLANG NAMES clang-19 clang-20 clang-21 clang-22 clang-23 clang
	DOC "clang 19 or later, for the device library")
set(kernel_clang "")
if(MORI_CLANG)
	execute_process(COMMAND ${MORI_CLANG} -dumpversion OUTPUT_VARIABLE clang_version
		OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
	if(clang_version VERSION_GREATER_EQUAL 19)
		set(kernel_clang ${MORI_CLANG})
	endif()
endif()
file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/dev/*.[ch]
	${PROJECT_SOURCE_DIR}/src/abi/*.h ${PROJECT_SOURCE_DIR}/src/nic/*.h
	${PROJECT_SOURCE_DIR}/include/mori/*.h)
set(MORI_KERNELS ${PROJECT_BINARY_DIR}/cuda_kernels.c)
add_custom_command(OUTPUT ${MORI_KERNELS}
	COMMAND ${PROJECT_SOURCE_DIR}/tools/embed_kernels.sh "${kernel_clang}" ${MORI_KERNELS}
		${MORI_WERROR_FLAG}
	DEPENDS ${kernel_sources} ${PROJECT_SOURCE_DIR}/tools/embed_kernels.sh
	COMMENT "Building the library's own kernels"
	VERBATIM)

add_library(mori_shmem_objects OBJECT ${MORI_LIBRARY_SOURCES} ${MORI_KERNELS})
target_include_directories(mori_shmem_objects PUBLIC
	${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(mori_shmem_objects PRIVATE MORI_VERSION="${PROJECT_VERSION}")
if(MORI_FABRIC_INCLUDE)
	target_include_directories(mori_shmem_objects SYSTEM PRIVATE ${MORI_FABRIC_INCLUDE})
	target_compile_definitions(mori_shmem_objects PRIVATE MORI_HAVE_FABRIC)
endif()
if(MORI_VERBS_INCLUDE)
	target_include_directories(mori_shmem_objects SYSTEM PRIVATE ${MORI_VERBS_INCLUDE})
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
target_link_libraries(mori_shmem PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
add_library(mori::shmem ALIAS mori_shmem)

add_library(mori_shmem_static STATIC $<TARGET_OBJECTS:mori_shmem_objects>)
set_target_properties(mori_shmem_static PROPERTIES LINKER_LANGUAGE C)
target_include_directories(mori_shmem_static PUBLIC
	${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(mori_shmem_static PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
