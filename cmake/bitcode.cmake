# SPDX-License-Identifier: MIT
# The device library as bitcode, lib/mori/<target>/libmori_shmem_device.bc (and for GPUs
# libmori_shmem_near.bc, without queues), where clang and the LLVM tools are there to make
# it. Without them everything else is built, and the tests that need it skip.

# What kernels on the CPU are sanitized with: the same as the rest.
set(MORI_KERNEL_SANITIZE "")
if(MORI_SANITIZE STREQUAL "address")
	set(MORI_KERNEL_SANITIZE "address,undefined")
elseif(MORI_SANITIZE STREQUAL "thread")
	set(MORI_KERNEL_SANITIZE "thread")
endif()

# Kernels include <mori/...>; the command finds it beside itself, as when installed.
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include SYMBOLIC)

set(MORI_BITCODE OFF CACHE INTERNAL "The device library is built")
set(MORI_NO_BITCODE "" CACHE INTERNAL "Why it is not, in words with the packages to install")
find_program(MORI_CLANG NAMES clang-19 clang-20 clang-21 clang-22 clang-23 clang
	DOC "clang 19 or later, for the device library")
find_program(MORI_OPT NAMES opt-19 opt-20 opt-21 opt-22 opt-23 opt
	DOC "opt of LLVM 19 or later")
if(NOT MORI_CLANG OR NOT MORI_OPT)
	set(missing)
	if(NOT MORI_CLANG)
		list(APPEND missing "clang 19 (package clang-19)")
	endif()
	if(NOT MORI_OPT)
		list(APPEND missing "LLVM 19 (package llvm-19)")
	endif()
	list(JOIN missing " and " missing)
	set(MORI_NO_BITCODE "the build did not find ${missing}" CACHE INTERNAL "")
	message(STATUS "No device library: ${MORI_NO_BITCODE}")
	return()
endif()
execute_process(COMMAND ${MORI_CLANG} -dumpversion OUTPUT_VARIABLE clang_version
	OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(clang_version VERSION_LESS 19)
	set(MORI_NO_BITCODE "${MORI_CLANG} is older than 19 (package clang-19)" CACHE INTERNAL "")
	message(STATUS "No device library: ${MORI_NO_BITCODE}")
	return()
endif()
set(MORI_BITCODE ON CACHE INTERNAL "The device library is built")

file(GLOB device_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/dev/*.[ch]
	${PROJECT_SOURCE_DIR}/src/dev/*.def
	${PROJECT_SOURCE_DIR}/src/abi/*.h ${PROJECT_SOURCE_DIR}/src/nic/*.h
	${PROJECT_SOURCE_DIR}/include/mori/*.h)
set(bitcode_files)
add_custom_target(bitcode ALL)
foreach(target nvptx64 amdgcn ${CMAKE_SYSTEM_PROCESSOR})
	set(flags "${MORI_WERROR_FLAG}")
	if(target STREQUAL CMAKE_SYSTEM_PROCESSOR AND MORI_KERNEL_SANITIZE)
		string(APPEND flags " -fsanitize=${MORI_KERNEL_SANITIZE} -fno-sanitize=function")
	endif()
	set(file ${PROJECT_BINARY_DIR}/lib/mori/${target}/libmori_shmem_device.bc)
	if(NOT target STREQUAL CMAKE_SYSTEM_PROCESSOR)
		list(APPEND file ${PROJECT_BINARY_DIR}/lib/mori/${target}/libmori_shmem_near.bc)
	endif()
	add_custom_command(OUTPUT ${file}
		COMMAND ${CMAKE_COMMAND} -E env MORI_BITCODE_CC=${MORI_CLANG} MORI_BITCODE_FLAGS=${flags}
			${PROJECT_SOURCE_DIR}/tools/build_shmem_bitcode.sh ${PROJECT_BINARY_DIR}/lib/mori ${target}
		DEPENDS ${device_sources} ${PROJECT_SOURCE_DIR}/tools/build_shmem_bitcode.sh
		COMMENT "Building the device library for ${target}"
		VERBATIM)
	install(FILES ${file} DESTINATION ${MORI_BITCODE_INSTALL_DIR}/${target})
	list(APPEND bitcode_files ${file})
	add_custom_target(bitcode_${target} DEPENDS ${file})
	add_dependencies(bitcode bitcode_${target})
endforeach()
