/* The names of HDF5's serial library, for dlopen; for all that look for it: 1.10, 1.14, 1.12, and what
 * its development package leaves. */
#ifndef CGS_SRC_HDF5_NAMES_H
#define CGS_SRC_HDF5_NAMES_H

#define CGS_HDF5_NAMES                                                                             \
    "libhdf5_serial.so.103", "libhdf5.so.103", "libhdf5_serial.so.310", "libhdf5.so.310",          \
        "libhdf5.so.200", "libhdf5_serial.so", "libhdf5.so"

#endif
