# SPDX-License-Identifier: MIT
# The fake KFD, with the interpreter in it: a library that tests/kfd/run loads before all others; and
# the programs that kfd/test.sh runs on it, which open AMD's HIP. Reads amd_targets.

find_path(MORI_KFD_INCLUDE linux/kfd_ioctl.h)
if(NOT MORI_KFD_INCLUDE OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
	message(STATUS "no linux/kfd_ioctl.h, or not x86_64: AMD's ROCm is not tested")
	return()
endif()
file(GLOB kfd_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kfd/*.c)
add_library(fake_kfd SHARED ${kfd_sources})
target_include_directories(fake_kfd PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/kfd ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(fake_kfd PRIVATE mori_shmem_static Threads::Threads ${CMAKE_DL_LIBS} m)
set_target_properties(fake_kfd PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

if(NOT amd_targets)
	return()
endif()
set(kfd_dir ${PROJECT_BINARY_DIR}/tests/kfd)
foreach(name one two fault)
	add_executable(kfd_${name} ${CMAKE_CURRENT_SOURCE_DIR}/kfd/hip/${name}.c)
	target_include_directories(kfd_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
		${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
	target_link_libraries(kfd_${name} PRIVATE ${CMAKE_DL_LIBS})
	set_target_properties(kfd_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${kfd_dir})
endforeach()

set(kfd_images)
foreach(target gfx90a gfx942 gfx950)
	foreach(image kernels others)
		if(NOT target IN_LIST amd_targets)
			continue()
		endif()
		set(flags)
		if(image STREQUAL "others")
			set(flags -DFACTOR=7)
		endif()
		set(file ${kfd_dir}/${image}_${target}.hsaco)
		add_custom_command(OUTPUT ${file}
			COMMAND mori cc ${CMAKE_CURRENT_SOURCE_DIR}/kfd/hip/kernels.c --target ${target} ${flags} -o ${file}
			DEPENDS mori bitcode ${CMAKE_CURRENT_SOURCE_DIR}/kfd/hip/kernels.c
				${PROJECT_BINARY_DIR}/lib/mori/amdgcn/libmori_shmem_device.bc
			VERBATIM)
		list(APPEND kfd_images ${file})
	endforeach()
endforeach()
set(all ALL)
if(MORI_BITCODE_FROM) # the build that it names runs them
	set(all)
endif()
add_custom_target(kfd_images ${all} DEPENDS ${kfd_images})

set(TEST_TIMEOUT 300)
set(TEST_ENV BUILD=${PROJECT_BINARY_DIR} SRC=${PROJECT_SOURCE_DIR} TEST_SEED=${MORI_TEST_SEED})
set(TEST_LABELS amd)
mori_add(kfd_hip bash ${CMAKE_CURRENT_SOURCE_DIR}/kfd/test.sh)
unset(TEST_LABELS)
unset(TEST_ENV)
