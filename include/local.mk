# What is installed for users' own kernels.
cgsolveincludedir = $(includedir)/cgsolve
cgsolveinclude_HEADERS = %D%/cgsolve/kernel.h
