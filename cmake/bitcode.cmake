# SPDX-License-Identifier: MIT
# The device library as bitcode, lib/mori/<target>/libmori_shmem_device.bc (and for GPUs
# libmori_shmem_p2p.bc, without queues), where clang and the LLVM tools are there to make
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
set(targets nvptx64 amdgcn ${CMAKE_SYSTEM_PROCESSOR})
set(lost "no kernels: `mori cc` and Triton have nothing to link")
foreach(target IN LISTS targets)
	if(MORI_WITH_BITCODE STREQUAL "OFF")
		mori_off("device library ${target}" BITCODE "${lost}")
	elseif(NOT MORI_CLANG_USABLE)
		mori_missing("device library ${target}" missing BITCODE clang-19 "${lost}")
	elseif(NOT MORI_LLVM_USABLE)
		mori_missing("device library ${target}" missing BITCODE llvm-19 "${lost}")
	else()
		set(MORI_BITCODE ON CACHE INTERNAL "The device library is built")
		mori_row("device library ${target}" built "lib/mori/${target}")
	endif()
endforeach()
if(NOT MORI_BITCODE)
	set(reason)
	if(MORI_WITH_BITCODE STREQUAL "OFF")
		set(reason "the build has MORI_WITH_BITCODE=OFF")
	else()
		if(NOT MORI_CLANG_USABLE)
			list(APPEND reason "clang 19 (package clang-19)")
		endif()
		if(NOT MORI_LLVM_USABLE)
			list(APPEND reason "LLVM 19 (package llvm-19)")
		endif()
		list(JOIN reason " and " reason)
		string(PREPEND reason "the build did not find ")
	endif()
	set(MORI_NO_BITCODE "${reason}" CACHE INTERNAL "")
	# What another configuration of this folder has left.
	file(REMOVE_RECURSE ${PROJECT_BINARY_DIR}/lib/mori ${PROJECT_BINARY_DIR}/bin/kernels)
	return()
endif()

file(GLOB device_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/dev/*.[ch]
	${PROJECT_SOURCE_DIR}/src/dev/*.def
	${PROJECT_SOURCE_DIR}/src/abi/*.h ${PROJECT_SOURCE_DIR}/src/target/*.h
	${PROJECT_SOURCE_DIR}/src/nic/*.h
	${PROJECT_SOURCE_DIR}/src/ops/*.h ${PROJECT_SOURCE_DIR}/include/mori/*.h)
set(MORI_BITCODE_FROM "" CACHE PATH "A build folder of the same sources whose device libraries for GPUs do here too")
set(bitcode_files)
add_custom_target(bitcode ALL)
foreach(target IN LISTS targets)
	set(flags "${MORI_WERROR_FLAG}")
	if(target STREQUAL CMAKE_SYSTEM_PROCESSOR AND MORI_KERNEL_SANITIZE)
		string(APPEND flags " -fsanitize=${MORI_KERNEL_SANITIZE} -fno-sanitize=function")
	endif()
	set(file ${PROJECT_BINARY_DIR}/lib/mori/${target}/libmori_shmem_device.bc)
	if(NOT target STREQUAL CMAKE_SYSTEM_PROCESSOR)
		list(APPEND file ${PROJECT_BINARY_DIR}/lib/mori/${target}/libmori_shmem_p2p.bc)
	endif()
	if(MORI_BITCODE_FROM AND NOT target STREQUAL CMAKE_SYSTEM_PROCESSOR)
		list(TRANSFORM file REPLACE "^${PROJECT_BINARY_DIR}" "${MORI_BITCODE_FROM}" OUTPUT_VARIABLE ready)
		add_custom_command(OUTPUT ${file}
			COMMAND ${CMAKE_COMMAND} -E copy ${ready} ${PROJECT_BINARY_DIR}/lib/mori/${target}
			DEPENDS ${ready}
			COMMENT "Taking the device library for ${target} from ${MORI_BITCODE_FROM}"
			VERBATIM)
	else()
		add_custom_command(OUTPUT ${file}
			COMMAND ${CMAKE_COMMAND} -E env MORI_BITCODE_CC=${MORI_CLANG_USABLE} MORI_BITCODE_FLAGS=${flags}
				${PROJECT_SOURCE_DIR}/tools/build_shmem_bitcode.sh ${PROJECT_BINARY_DIR}/lib/mori ${target}
			DEPENDS ${device_sources} ${PROJECT_SOURCE_DIR}/tools/build_shmem_bitcode.sh
				${PROJECT_SOURCE_DIR}/tools/bitcode_attrs.c
			COMMENT "Building the device library for ${target}"
			VERBATIM)
	endif()
	if(NOT target STREQUAL CMAKE_SYSTEM_PROCESSOR)
		# The name it had before, for whoever asks for it by that.
		set(old ${PROJECT_BINARY_DIR}/lib/mori/${target}/libmori_shmem_near.bc)
		file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib/mori/${target})
		file(CREATE_LINK libmori_shmem_p2p.bc ${old} SYMBOLIC)
	else()
		set(old)
	endif()
	install(FILES ${file} ${old} DESTINATION ${MORI_BITCODE_INSTALL_DIR}/${target})
	list(APPEND bitcode_files ${file})
	add_custom_target(bitcode_${target} DEPENDS ${file})
	add_dependencies(bitcode bitcode_${target})
endforeach()
