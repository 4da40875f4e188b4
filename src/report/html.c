/* html.c - print the parts of a self-contained HTML page.
 *
 * Styles are inline and figures are data: URLs, so that one file can be moved or mailed. Both pages
 * use it, the report on the paper (report.c) and the page of a replay (replay_page.c).
 *
 * Texts are escaped here and only here: callers pass plain UTF-8, which may come from a log.
 * Functions do not fail; the stream is memory (io/output.h), which reports a lack of memory when it
 * is finished.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/html.h"

#include <stdarg.h>

#include "io/encode.h"

/* Colours of verdicts are those of figure.c, darker for text so that the contrast is at least 4.5 :
 * 1. */
static const char style[] =
    ":root{color-scheme:light}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:52rem;padding:1rem;background:#fff;color:#1a1a1a;"
    "font:1rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}\n"
    "h1{font-size:1.7rem;line-height:1.2}h2{margin-top:2.5rem;font-size:1.3rem;"
    "border-bottom:2px solid #0072b2;line-height:1.3}h3{font-size:1.08rem;margin-bottom:.3rem}\n"
    "a{color:#005a8c}\n"
    "figure{margin:1.2rem 0}figure img{display:block;width:100%;height:auto}"
    "figcaption{font-size:.9rem;color:#444}\n"
    ".table{overflow-x:auto;margin:1rem 0}\n"
    "table{border-collapse:collapse;min-width:min(100%,28rem);font-size:.9rem;font-variant-numeric:"
    "tabular-nums}"
    "caption{text-align:left;font-size:.9rem;color:#444;padding-bottom:.3rem}"
    "th,td{padding:.2rem .45rem;text-align:right;border-bottom:1px solid #ddd;vertical-align:top}"
    "th:first-child,td:first-child{text-align:left}thead th{border-bottom:2px solid #888}"
    ".texts th,.texts td{text-align:left}.texts td{min-width:9rem}\n"
    "code,pre{font:.85rem/1.4 ui-monospace,monospace;background:#f3f5f7}"
    "pre{padding:.5rem .7rem;white-space:pre-wrap;word-break:break-word;border-left:3px solid #bbb}"
    "code{padding:.05rem .2rem}\n"
    ".claim{margin:.8rem 0;padding:.5rem .8rem;border-left:.35rem solid;background:#f8f9fa}"
    ".claim p{margin:.15rem 0}.says{color:#444}\n"
    ".summary{list-style:none;padding:0}.summary li{padding:.35rem 0 .35rem .7rem;margin:.3rem 0;"
    "border-left-width:.35rem;border-left-style:solid}.summary a{color:inherit}\n"
    ".verdict{font-weight:700}\n"
    ".holds{border-color:#009e73}.holds .verdict{color:#006b4e}"
    ".partly{border-color:#e69f00}.partly .verdict{color:#8a5a00}"
    ".fails{border-color:#d55e00}.fails .verdict{color:#a84300}"
    ".unclear{border-color:#7f7f7f}.unclear .verdict{color:#555}\n"
    "@media(max-width:600px){body{padding:.7rem;font-size:.95rem}th,td{padding:.15rem .25rem}"
    "table{font-size:.8rem}.texts thead{display:none}.texts tr,.texts td{display:block}"
    ".texts tr{padding:.4rem 0;border-bottom:1px solid #888}.texts td{border:0}"
    ".texts td:nth-child(2)::before{content:'Here: ';color:#666}"
    ".texts td:nth-child(3)::before{content:'Sensitivity: ';color:#666}}\n"
    "@media print{body{max-width:none;font-size:10pt}figure,.claim,tr{break-inside:avoid}"
    "h2,h3{break-after:avoid}a{color:inherit}}\n";

void segue_html_begin(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          out);
    segue_html_text(out, "%s", title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    segue_html_text(out, "%s", title);
    fputs("</h1>\n", out);
}

void segue_html_end(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}

/* Escape for text and for attributes in double quotes. */
static void print_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
}

static void print_text(FILE *out, const char *format, va_list arguments) SEGUE_PRINTF(2, 0);

/* A text over 4095 bytes is truncated. */
static void print_text(FILE *out, const char *format, va_list arguments)
{
    char text[4096];
    (void)vsnprintf(text, sizeof text, format, arguments);
    print_escaped(out, text);
}

void segue_html_text(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_text(out, format, arguments);
    va_end(arguments);
}

void segue_html_p(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("<p>", out);
    print_text(out, format, arguments);
    fputs("</p>\n", out);
    va_end(arguments);
}

void segue_html_heading(FILE *out, int level, const char *id, const char *text)
{
    fprintf(out, "<h%d id=\"%s\">", level, id);
    print_escaped(out, text);
    fprintf(out, "</h%d>\n", level);
}

static void print_base64(FILE *out, const segue_bytes *b)
{
    enum { CHUNK = 3 * 1024 }; /* a multiple of 3: only the last chunk has padding */
    char text[SEGUE_ENCODE_BASE64_LENGTH(CHUNK)];
    for (size_t i = 0; i < b->size; i += CHUNK) {
        const size_t size = b->size - i < CHUNK ? b->size - i : CHUNK;
        const size_t length = segue_encode_base64(text, b->data + i, size);
        fwrite(text, 1, length, out);
    }
}

/* A browser loads the narrow form on small screens. The caption is the alternative text as well. */
static void print_figure(FILE *out, const segue_figure *figure, const char *caption)
{
    fprintf(out,
            "<figure id=\"figure-%s\">\n<picture><source media=\"(max-width: 600px)\" "
            "srcset=\"data:image/svg+xml;base64,",
            figure->name);
    print_base64(out, &figure->narrow);
    fputs("\"><img src=\"data:image/svg+xml;base64,", out);
    print_base64(out, &figure->wide);
    fputs("\" width=\"760\" height=\"460\" alt=\"", out);
    print_escaped(out, caption);
    fputs("\"></picture>\n<figcaption>", out);
    print_escaped(out, caption);
    fputs("</figcaption>\n</figure>\n", out);
}

segue_status segue_html_figure(FILE *out, segue_figure *figure, const char *folder,
                               const char *caption, segue_error *err)
{
    const segue_status status =
        folder ? segue_figure_draw(figure, folder, err)
               : segue_figure_draw_temporary(figure, SEGUE_FIGURE_SVG | SEGUE_FIGURE_NARROW, err);
    if (status == SEGUE_OK)
        print_figure(out, figure, caption);
    segue_figure_fini(figure);
    return status;
}

void segue_html_verdict(FILE *out, const char *kind, const char *text)
{
    fprintf(out, "<div class=\"claim %s\" id=\"verdict\">\n<p class=\"verdict\">", kind);
    print_escaped(out, text);
    fputs("</p>\n</div>\n", out);
}

void segue_html_command(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("<pre>", out);
    print_text(out, format, arguments);
    fputs("</pre>\n", out);
    va_end(arguments);
}

void segue_html_table_begin(FILE *out, const char *caption, const char *const *headings)
{
    fputs("<div class=\"table\"><table>\n<caption>", out);
    print_escaped(out, caption);
    fputs("</caption>\n<thead><tr>", out);
    for (; *headings; headings++) {
        fputs("<th scope=\"col\">", out);
        print_escaped(out, *headings);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>", out);
}

/* HTML5 needs no end tags for rows and cells; cells have one, rows end with the next row. */
void segue_html_row(FILE *out)
{
    fputs("\n<tr>", out);
}

void segue_html_cell(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("<td>", out);
    print_text(out, format, arguments);
    fputs("</td>", out);
    va_end(arguments);
}

void segue_html_table_end(FILE *out)
{
    fputs("\n</tbody></table></div>\n", out);
}
