# Headers that are installed.
cgsolveincludedir = $(includedir)/cgsolve
cgsolveinclude_HEADERS = %D%/cgsolve/cgsolve.h %D%/cgsolve/kernel.h
