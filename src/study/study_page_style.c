/* How a study's page looks. Figures are gnuplot's, drawn for white paper: where the page is dark,
 * their colours are replaced by name. */
#include "src/study/study_page.h"

const char *const cgs_page_style[] = {
    ":root{color-scheme:light dark;--ink:#1b1f24;--faint:#59636e;--paper:#fff;--back:#f4f5f7;"
    "--line:#d4d9df;--grid:#ddd;--good:#176f3a;--bad:#b3261e;--note:#8a5a00;--mark:#0b5cad}\n",
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--faint:#9aa4b1;--paper:#191d23;"
    "--back:#111418;--line:#343b45;--grid:#343b45;--good:#5fd38d;--bad:#ff8a80;--note:#f0b75a;"
    "--mark:#7cb8ff}}\n",
    "*{box-sizing:border-box}\n",
    "body{margin:0 auto;padding:1.5rem clamp(.9rem,3vw,2.5rem) 3rem;max-width:86rem;"
    "background:var(--back);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,'Segoe UI',"
    "sans-serif}\n",
    "h1{font-size:clamp(1.4rem,4vw,2rem);line-height:1.2;margin:.5rem 0 .3rem}\n",
    "h2{font-size:1.25rem;margin:2.4rem 0 .8rem}\n",
    "p{margin:.5rem 0;max-width:75ch}\n",
    ".faint{max-width:none}.faint,.small{color:var(--faint)}.small{font-size:.875rem}\n",
    "code,pre{font-family:ui-monospace,'DejaVu Sans Mono',Consolas,monospace;font-size:.9em}\n",
    "p code{white-space:nowrap}\n",
    "pre{margin:.6rem 0;padding:.7rem .9rem;background:var(--paper);border:1px solid var(--line);"
    "border-radius:.5rem;white-space:pre-wrap;overflow-wrap:anywhere}\n",
    ".summary{list-style:none;margin:1.2rem 0;padding:1rem "
    "1.2rem;background:var(--paper);border:1px "
    "solid var(--line);border-left:.3rem solid var(--mark);border-radius:.5rem}\n",
    ".summary li{margin:.35rem 0;padding-left:1.4rem;position:relative}\n",
    ".summary li::before{content:'\\2022';position:absolute;left:.2rem;color:var(--mark)}\n",
    ".summary li.good::before{content:'\\2713';color:var(--good)}\n",
    ".summary li.bad::before{content:'\\2717';color:var(--bad)}\n",
    ".summary li.note::before{content:'!';color:var(--note);font-weight:700;left:.35rem}\n",
    ".good{color:var(--good)}.bad{color:var(--bad)}.summary li.good,.summary "
    "li.bad{color:inherit}\n",
    "dl.run{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.2rem;margin:.8rem 0}\n",
    "dl.run dt{color:var(--faint)}dl.run dd{margin:0;overflow-wrap:anywhere}\n",
    "dl.failed dt{font-weight:600;color:var(--bad)}dl.failed dd{margin:.1rem 0 .9rem}\n",
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));"
    "gap:1.1rem;align-items:start}\n",
    "figure{margin:0;padding:.5rem .6rem .8rem;background:var(--paper);border:1px solid "
    "var(--line);border-radius:.5rem;break-inside:avoid}\n",
    "figure svg{display:block;width:100%;height:auto;max-width:46rem;margin:0 auto}\n",
    "figure svg text{font-family:system-ui,sans-serif}\n",
    "figure svg text{fill:var(--ink)}\n",
    "figure svg rect[fill='#ffffff']{fill:none}\n",
    "figure svg [stroke='rgb(221, 221, 221)']{stroke:var(--grid)}\n",
    "figcaption{font-size:.875rem;line-height:1.45;color:var(--faint);padding:.3rem .5rem 0}\n",
    ".scroll{overflow-x:auto;background:var(--paper);border:1px solid var(--line);"
    "border-radius:.5rem;margin:1rem 0 .6rem}\n",
    ".scroll:focus-visible{outline:2px solid var(--mark)}\n",
    "table{border-collapse:collapse;width:100%;font-size:.8125rem;font-variant-numeric:tabular-"
    "nums}"
    "\n",
    "caption{text-align:left;padding:.7rem .9rem .4rem;font-weight:600}\n",
    "th,td{padding:.3rem .55rem;text-align:right;white-space:nowrap;font-weight:400}\n",
    "thead th{color:var(--faint);border-bottom:1px solid var(--line);vertical-align:bottom}\n",
    "tbody tr:nth-child(even):not(.group){background:color-mix(in srgb,var(--back) 60%,"
    "transparent)}\n",
    "tbody th:first-child{padding-left:.9rem}.word{text-align:left}\n",
    "tr.group th{text-align:left;font-weight:600;padding-top:.9rem;border-bottom:1px solid "
    "var(--line)}tr.group span{position:sticky;left:.9rem}\n",
    "tr.fit th,tr.fit td{border-top:1px solid var(--line)}tr.due th,tr.fit "
    "th{color:var(--faint)}\n",
    "tr.due td{font-size:.75rem}td.out{color:var(--faint)}\n",
    "@media (prefers-color-scheme:dark){"
    "figure svg [stroke='rgb(  0, 114, 178)']{stroke:#56a9e8}"
    "figure svg [color='rgb(  0, 114, 178)']{color:#56a9e8}"
    "figure svg [fill='rgb(  0, 114, 178)']{fill:#56a9e8}"
    "figure svg [stroke='rgb(  0,   0,   0)'],figure svg [stroke='black']{stroke:var(--ink)}"
    "figure svg [color='rgb(  0,   0,   0)'],figure svg [color='black']{color:var(--ink)}}\n",
    "@media print{:root{--ink:#000;--faint:#444;--paper:#fff;--back:#fff;--line:#bbb;--grid:#ddd;"
    "--good:#176f3a;--bad:#b3261e;color-scheme:light}body{max-width:none;padding:0;font-size:10pt}"
    ".scroll{overflow:visible}table{font-size:7.5pt}th,td{padding:.15rem .35rem}"
    "h2{break-after:avoid}tr{break-inside:avoid}"
    ".figures{grid-template-columns:1fr 1fr}}\n",
    NULL};
