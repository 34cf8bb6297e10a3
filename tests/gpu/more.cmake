# SPDX-License-Identifier: MIT
# What `make gpu` adds: the kernels of the tests of the CPU and the examples in LLVM IR and MLIR
# as cubins, which takes minutes, and all that gpu/run needs in one folder (gpu/pack).

set(more_images)
find_program(MORI_PTXAS ptxas)

# gpu_cubin(NAME SOURCE): kernels/NAME.cubin of the build folder.
function(gpu_cubin name source)
	set(image ${PROJECT_BINARY_DIR}/tests/kernels/${name}.cubin)
	add_custom_command(OUTPUT ${image}
		COMMAND mori cc ${source} --target sm_90 -I${PROJECT_SOURCE_DIR}/src -o ${image}
		DEPENDS mori bitcode ${source} ${PROJECT_BINARY_DIR}/lib/mori/nvptx64/libmori_shmem_device.bc
		COMMENT "Compiling ${name} for sm_90"
		VERBATIM)
	set(more_images ${more_images} ${image} PARENT_SCOPE)
endfunction()

if(MORI_PTXAS)
	file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.c)
	foreach(file IN LISTS sources)
		cmake_path(GET file STEM name)
		# Without a kernel, or with what only fibers have.
		if(NOT name MATCHES "^(wrong_abi|no_library|fault)$")
			gpu_cubin(${name} ${file})
		endif()
	endforeach()
	gpu_cubin(misc ${CMAKE_CURRENT_SOURCE_DIR}/gpu/kernels/misc.c)
	foreach(name hello put_ring get)
		set(file ${PROJECT_BINARY_DIR}/tests/kernels/${name}.ll)
		add_custom_command(OUTPUT ${file}
			COMMAND ${PROJECT_SOURCE_DIR}/examples/llvm/generate.sh ${name} > ${file}
			DEPENDS ${PROJECT_SOURCE_DIR}/examples/llvm/generate.sh VERBATIM)
		gpu_cubin(llvm_${name} ${file})
	endforeach()
	find_program(MORI_MLIR_TRANSLATE NAMES mlir-translate-19 mlir-translate)
	foreach(name hello put_ring)
		if(MORI_MLIR_TRANSLATE)
			gpu_cubin(mlir_${name} ${PROJECT_SOURCE_DIR}/examples/mlir/${name}.mlir)
		endif()
	endforeach()
endif()

add_custom_target(gpu
	COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/gpu/pack ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/gpu
	DEPENDS ${more_images} mori_gpu_kernels
	VERBATIM)
