# doc/doxygen/filter.awk: shows Doxygen the comments of our headers as they are meant.
#
#   /* A file's or a declaration's. */      before it        becomes  /** ... */, the file's with @file
#   int64_t rows; /* of the matrix */       behind it        becomes  /**< ... */
#   ... of rows:                            a table, indented: a block of code of its own
#        q = A p
#
# What is inside functions and initialisers stays as it is, and what Doxygen would take for commands
# is escaped. Used by doc/Doxyfile (`make doxygen`).

# What is no command of Doxygen's here; code in backquotes stays as it is.
function escape(line,    parts, count, i, all) {
    count = split(line, parts, "`")
    for (i = 1; i <= count; i++) {
        if (i % 2 == 1 || count % 2 == 0) {
            gsub(/\\/, "\\\\\\\\", parts[i])
            gsub(/@/, "\\@", parts[i])
            gsub(/</, "\\<", parts[i])
            gsub(/>/, "\\>", parts[i])
            gsub(/#/, "\\#", parts[i])
            gsub(/%/, "\\%", parts[i])
            gsub(/--/, "\\--", parts[i])
        }
        all = all (i > 1 ? "`" : "") parts[i]
    }
    return all
}

# A line of a comment's text, without the comment's own frame.
function text(line) {
    sub(/[ \t]+$/, "", line)
    if (line ~ /^    /) { # a block: as it stands, with room before it
        if (!block && !empty)
            print " *"
        block = 1
        empty = 0
        return line
    }
    if (block && line != "")
        block = 0
    empty = line == ""
    return escape(line)
}

# Counts braces of a line of code: what is opened is a body (of a function, of an initialiser) or not.
function code(line,    i, c) {
    gsub(/"([^"\\]|\\.)*"/, "", line)
    gsub(/'([^'\\]|\\.)'/, "", line)
    gsub(/\/\*.*\*\//, "", line)
    if (line ~ /^[ \t]*#/ || continued) {
        continued = line ~ /\\$/
        return
    }
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "{") {
            body[depth + 1] = body[depth] || statement ~ /[()=]/
            depth += 1
            statement = ""
        } else if (c == "}") {
            depth -= depth > 0
            statement = ""
        } else if (c == ";") {
            statement = ""
        } else {
            statement = statement c
        }
    }
}

# The rest of a comment that has begun: its text, and whether it ends.
function comment(line,    at) {
    at = index(line, "*/")
    if (at > 0) {
        inside = 0
        return text(substr(line, 1, at - 1)) " */" substr(line, at + 2)
    }
    return text(line)
}

inside {
    line = $0
    if (line ~ /^[ \t]*\*\//) {
        print " */" substr(line, index(line, "*/") + 2)
        inside = 0
        next
    }
    if (!behind && line ~ /^[ \t]*\*/)
        sub(/^[ \t]*\* ?/, "", line)
    else
        sub(/^[ \t]*/, "", line)
    line = comment(line)
    print " * " line
    next
}

untouched {
    untouched = index($0, "*/") == 0
    print
    next
}

# A comment on lines of its own.
/^[ \t]*\/\*/ {
    at = index($0, "/*")
    block = 0
    empty = 1
    if (body[depth] || $0 ~ /\/\* ----/ || continued) {
        untouched = index($0, "*/") == 0
        print
        next
    }
    inside = 1
    behind = 0
    line = substr($0, at + 2)
    sub(/^ /, "", line)
    if (NR == 1) {
        print "/** @file"
        print " * " comment(line)
    } else {
        print substr($0, 1, at - 1) "/** " comment(line)
    }
    next
}

# A comment behind code.
/\/\*/ {
    at = index($0, "/*")
    line = substr($0, 1, at - 1)
    code(line)
    ends = index(substr($0, at), "*/")
    plain = body[depth] || line ~ /^[ \t]*(#|})/ || continued || $0 ~ /\\$/ || (ends && substr($0, at + ends + 1) !~ /^[ \t]*$/)
    if (plain) {
        untouched = !ends
        print
        if (ends)
            code(substr($0, at + ends + 1))
        next
    }
    inside = 1
    behind = 1
    block = 0
    empty = 0
    rest = substr($0, at + 2)
    sub(/^ /, "", rest)
    print line "/**< " comment(rest)
    next
}

{
    code($0)
    print
}
