#include "tests/support/asked.h"
#include "core/options/options.h"
#include "core/options/options_value.h"
#include "lab/command_line/options_parse.h"

#include <stdio.h>
#include <string.h>

enum { WORDS_MOST = 8 };

void ask(struct asked *asked, const char *words)
{
    static char text[1024];
    const char *argv[WORDS_MOST + 3] = {
        "cgsolve", CHECK_DEVICE == CGS_CPU ? "--backend=cpu" : "--backend=cuda", "--threads=2"};
    int argc = 3;
    snprintf(text, sizeof text, "%s", words);
    for (char *rest = NULL, *word = strtok_r(text, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        const size_t name = strcspn(word, "=") + 1;
        int place = 1;
        while (place < argc && strncmp(argv[place], word, name) != 0)
            place++;
        ck_assert_int_lt(place, WORDS_MOST + 3);
        argv[place] = word;
        argc += place == argc;
    }
    cgs_context_init(&asked->context);
    ck_assert_msg(cgs_options_parse(&asked->context, argc, argv, &asked->options) == CGS_OK &&
                      cgs_machine_open(&asked->context, &asked->options.settings,
                                       &(struct cgs_external){0}, &asked->machine) == CGS_OK,
                  "%s: %s", words, asked->context.message);
}

void dismiss(struct asked *asked)
{
    cgs_machine_close(&asked->machine);
    cgs_options_release(&asked->options);
    ck_assert_int_eq(asked->context.host_bytes, 0);
}
