# What is installed for users' own kernels.
cgsolveincludedir = $(includedir)/cgsolve
cgsolveinclude_HEADERS = %D%/cgsolve/cgsolve.h %D%/cgsolve/kernel.h
