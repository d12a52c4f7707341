/* File name of libseccomp, for dlopen. */
#ifndef CGS_KERNELS_PLUGIN_SECCOMP_NAMES_H
#define CGS_KERNELS_PLUGIN_SECCOMP_NAMES_H

#define CGS_SECCOMP_NAMES "libseccomp.so.2"
#define CGS_SECCOMP_SYMBOL "seccomp_rule_add_array"

#endif
