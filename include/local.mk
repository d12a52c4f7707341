# Headers that are installed.
cgsolveincludedir = $(includedir)/cgsolve
cgsolveinclude_HEADERS = %D%/cgsolve/cgsolve.h %D%/cgsolve/exercise.h %D%/cgsolve/kernel.h
