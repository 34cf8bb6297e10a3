# SPDX-License-Identifier: MIT
# What pip installs beside the sources of the package: the module, and in _native what the
# command and kernels need, in the layout of a build folder. pyproject.toml asks for the target
# python_package and the component python.

set(programs mori mori-bench mori-bench-kernels)
add_custom_target(python_package DEPENDS python_module ${programs})
set_target_properties(${programs} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")

set(native mori/_native)
install(TARGETS python_module DESTINATION mori COMPONENT python)
install(TARGETS mori_shmem DESTINATION ${native}/lib COMPONENT python)
install(TARGETS ${programs} DESTINATION ${native}/bin COMPONENT python)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mori DESTINATION ${native}/include
	COMPONENT python FILES_MATCHING PATTERN "*.h")
if(MORI_BITCODE)
	add_dependencies(python_package bench_kernels)
	install(DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/kernels DESTINATION ${native}/bin
		COMPONENT python FILES_MATCHING PATTERN "*.image")
endif()

# The device library: made elsewhere if MORI_BITCODE_DIR says where, else built here. A package
# without it is for programs of the host.
set(targets nvptx64 amdgcn ${CMAKE_SYSTEM_PROCESSOR})
if(MORI_BITCODE_DIR)
	cmake_path(ABSOLUTE_PATH MORI_BITCODE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} NORMALIZE
		OUTPUT_VARIABLE bitcode_dir)
	foreach(target IN LISTS targets)
		set(file ${bitcode_dir}/${target}/libmori_shmem_device.bc)
		if(NOT EXISTS ${file})
			message(FATAL_ERROR "There is no ${file}, which MORI_BITCODE_DIR should lead to")
		endif()
	endforeach()
elseif(MORI_BITCODE)
	add_dependencies(python_package bitcode)
	set(bitcode_dir ${PROJECT_BINARY_DIR}/lib/mori)
else()
	list(JOIN targets ", " all)
	message(NOTICE "This package has no device library: programs of the host work, kernels "
		"cannot be compiled. Install clang 19 and the LLVM tools (packages clang-19, llvm-19) "
		"and install the package again, or set MORI_BITCODE_DIR to a folder that has "
		"<target>/libmori_shmem_device.bc for ${all}")
	return()
endif()
foreach(target IN LISTS targets)
	install(DIRECTORY ${bitcode_dir}/${target} DESTINATION ${native}/lib/mori
		COMPONENT python FILES_MATCHING PATTERN "libmori_shmem_*.bc"
		PATTERN "libmori_shmem_near.bc" EXCLUDE) # a link for users of the prefix: wheels have none
endforeach()
