# SPDX-License-Identifier: MIT
# Part of every installation, before its first file: which of MORI_FOLDERS, and of the folders that
# hold them, are there already? `make uninstall` leaves those. If the same place was installed to
# before, the answer of that time stays.

include(${CMAKE_CURRENT_LIST_DIR}/record.cmake)
mori_record(MORI_INSTALL_RECORD destdir "${MORI_BUILD}" "${CMAKE_INSTALL_PREFIX}")
if(EXISTS ${MORI_INSTALL_RECORD}.before)
	return()
endif()
set(before)
foreach(folder IN LISTS MORI_FOLDERS)
	if(NOT IS_ABSOLUTE "${folder}")
		set(folder "${CMAKE_INSTALL_PREFIX}/${folder}")
	endif()
	set(folder "${destdir}${folder}")
	while(NOT "${folder}" MATCHES "^/?$")
		if(IS_DIRECTORY "${folder}")
			list(APPEND before "${folder}")
		endif()
		get_filename_component(folder "${folder}" DIRECTORY)
	endwhile()
endforeach()
list(REMOVE_DUPLICATES before)
list(JOIN before "\n" before)
file(WRITE ${MORI_INSTALL_RECORD}.before "${before}\n")
