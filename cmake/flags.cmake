# SPDX-License-Identifier: MIT
# How everything is compiled: C11 with GNU extensions, optimised with debug information, assertions
# kept. The caller's flags come after ours, so that they win wherever the order decides.

set(MORI_SANITIZE "" CACHE STRING "address (with undefined) or thread; empty for none")
set_property(CACHE MORI_SANITIZE PROPERTY STRINGS "" address thread)
option(MORI_WERROR "Warnings are errors" OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
	set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Kind of build" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)

# Empty, as a source that defines it itself would do.
add_compile_definitions(_GNU_SOURCE=)

set(MORI_C_FLAGS -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes)
# Two builds give the same bytes, wherever sources and build are: no times, and only relative names.
# The last map counts where both match.
list(APPEND MORI_C_FLAGS -Wdate-time -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
	-ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
set(CMAKE_C_ARCHIVE_CREATE "<CMAKE_AR> qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_C_ARCHIVE_APPEND "<CMAKE_AR> qD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "<CMAKE_RANLIB> -D <TARGET>")
# For what is compiled by other means than CMake's.
set(MORI_WERROR_FLAG "")
if(MORI_WERROR)
	set(MORI_WERROR_FLAG -Werror)
	list(APPEND MORI_C_FLAGS -Werror)
endif()

# MORI_SANITIZE_FLAGS also goes to the tests that compile programs of their own.
set(MORI_SANITIZE_FLAGS "")
if(MORI_SANITIZE STREQUAL "address")
	set(MORI_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=undefined
		-fno-omit-frame-pointer)
elseif(MORI_SANITIZE STREQUAL "thread")
	set(MORI_SANITIZE_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT MORI_SANITIZE STREQUAL "")
	message(FATAL_ERROR "MORI_SANITIZE=${MORI_SANITIZE}: use address, thread or nothing")
endif()
if(MORI_SANITIZE_FLAGS)
	list(APPEND MORI_C_FLAGS ${MORI_SANITIZE_FLAGS})
	if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
		# What the sanitizers add hides from gcc which variables are set.
		list(APPEND MORI_C_FLAGS -Wno-maybe-uninitialized)
	endif()
endif()
if(MORI_SANITIZE STREQUAL "thread" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
	# gcc warns of every fence under TSan, which then sees less; that is no error of ours.
	list(APPEND MORI_C_FLAGS -Wno-tsan)
endif()
list(JOIN MORI_C_FLAGS " " MORI_C_FLAGS)

# What the caller asked for, by the environment of the first configuration or by -D. The variables
# that mori_c_flags() sets hide these, which the cache keeps.
set(MORI_CALLER_C_FLAGS "${CMAKE_C_FLAGS}")
set(MORI_BUILD_TYPES ${CMAKE_CONFIGURATION_TYPES} ${CMAKE_BUILD_TYPE})
list(TRANSFORM MORI_BUILD_TYPES TOUPPER)
foreach(type IN LISTS MORI_BUILD_TYPES)
	string(STRIP "${CMAKE_C_FLAGS_${type}_INIT}" MORI_DEFAULT_C_FLAGS_${type})
	set(MORI_CALLER_C_FLAGS_${type} "${CMAKE_C_FLAGS_${type}}")
endforeach()
set(MORI_DEFAULT_C_FLAGS_RELWITHDEBINFO "${MORI_DEFAULT_C_FLAGS}")

# mori_c_flags([flag...]): the flags of what the calling directory compiles. CMake puts those of
# the build type last, where its -O2 would undo a -O0 of the caller: unless the caller set them,
# they go first.
macro(mori_c_flags)
	set(CMAKE_C_FLAGS "${MORI_C_FLAGS}")
	foreach(type IN LISTS MORI_BUILD_TYPES)
		set(type_flags "${MORI_CALLER_C_FLAGS_${type}}")
		if(NOT type_flags STREQUAL "${MORI_DEFAULT_C_FLAGS_${type}}")
			set(CMAKE_C_FLAGS_${type} "${ARGN} ${MORI_CALLER_C_FLAGS} ${type_flags}")
		elseif(MORI_SANITIZE AND type STREQUAL "RELWITHDEBINFO")
			# Half the time to compile, better reports, and hardly slower to run.
			set(CMAKE_C_FLAGS_${type} "-O1 -g ${MORI_CALLER_C_FLAGS}")
		else()
			set(CMAKE_C_FLAGS_${type} "${type_flags} ${ARGN} ${MORI_CALLER_C_FLAGS}")
		endif()
	endforeach()
endmacro()
mori_c_flags()
