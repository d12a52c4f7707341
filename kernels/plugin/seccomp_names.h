/* File name of libseccomp, for dlopen. */
#pragma once

#define CGS_SECCOMP_NAMES "libseccomp.so.2"
#define CGS_SECCOMP_SYMBOL "seccomp_rule_add_array"
