/* What others call our options and values (synonyms.def), for messages. */
#ifndef CGS_SRC_OPTIONS_SYNONYMS_H
#define CGS_SRC_OPTIONS_SYNONYMS_H

/* What is meant by `word` as a value of that option, or, where the option is "", as an option's name;
 * NULL where nobody knows. Large and small letters are the same. */
const char *cgs_synonym(const char *option, const char *word);

#endif
