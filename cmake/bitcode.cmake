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
find_program(MORI_CLANG NAMES clang-19 clang-20 clang-21 clang-22 clang-23 clang
	DOC "clang 19 or later, for the device library")
find_program(MORI_OPT NAMES opt-19 opt-20 opt-21 opt-22 opt-23 opt
	DOC "opt of LLVM 19 or later")
if(NOT MORI_CLANG OR NOT MORI_OPT)
	message(STATUS "No clang 19 or no LLVM tools (packages clang-19, llvm-19): no device library")
	return()
endif()
execute_process(COMMAND ${MORI_CLANG} -dumpversion OUTPUT_VARIABLE clang_version
	OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(clang_version VERSION_LESS 19)
	message(STATUS "${MORI_CLANG} is older than 19 (package clang-19): no device library")
	return()
endif()
set(MORI_BITCODE ON CACHE INTERNAL "The device library is built")

file(GLOB device_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/dev/*.[ch]
	${PROJECT_SOURCE_DIR}/src/dev/*.def
	${PROJECT_SOURCE_DIR}/src/abi/*.h ${PROJECT_SOURCE_DIR}/src/nic/*.h
	${PROJECT_SOURCE_DIR}/include/mori/*.h)
set(bitcode_files)
foreach(target nvptx64 amdgcn ${CMAKE_SYSTEM_PROCESSOR})
	set(flags)
	if(target STREQUAL CMAKE_SYSTEM_PROCESSOR AND MORI_KERNEL_SANITIZE)
		set(flags "-fsanitize=${MORI_KERNEL_SANITIZE} -fno-sanitize=function")
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
	install(FILES ${file} DESTINATION lib/mori/${target})
	list(APPEND bitcode_files ${file})
endforeach()
add_custom_target(bitcode ALL DEPENDS ${bitcode_files})
