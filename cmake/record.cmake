# SPDX-License-Identifier: MIT
# mori_record(record destdir build prefix): where a build folder keeps what it installed to a prefix
# and DESTDIR, without a suffix: .files are the files, .before the folders that were there already.
# The names in it begin with destdir, which is DESTDIR without a slash at its end.
function(mori_record record destdir build prefix)
	get_filename_component(prefix "${prefix}" ABSOLUTE)
	string(REGEX REPLACE "/+$" "" stage "$ENV{DESTDIR}")
	string(MD5 name "${stage}:${prefix}")
	set(${record} "${build}/installed/${name}" PARENT_SCOPE)
	set(${destdir} "${stage}" PARENT_SCOPE)
endfunction()
