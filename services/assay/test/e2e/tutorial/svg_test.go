package tutorial

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// scene is a command, how long it ran and what it printed, with the sequences for colors.
type scene struct {
	command string
	took    time.Duration
	lines   []string
}

// The picture, in pixels and seconds.
const (
	loop       = 30.0 // until it begins again
	keystroke  = 0.03
	beforeType = 0.4
	lineHeight = 19
	charWidth  = 7.83 // of 13 px in the usual monospaced fonts, 0.602 em
	columnsMax = 118
)

// picture returns an animated SVG of the scenes. Lines appear when they were printed, after pauses for reading, and all of
// them remain until the end.
func picture(scenes []scene) string {
	var texts, rules strings.Builder
	total := 0.0
	for _, s := range scenes {
		total += beforeType + keystroke*float64(len(s.command)) + s.took.Seconds()
	}
	pause := (loop - 2 - total) / float64(len(scenes)) // 2 s at the end
	at, line := 0.0, 0
	appear := func(classes, content string) {
		line++
		fmt.Fprintf(&texts, `<text class="%s l%d" x="16" y="%d">%s</text>`+"\n", classes, line, 34+line*lineHeight, content)
		fmt.Fprintf(&rules, ".l%d{animation-name:l%[1]d}@keyframes l%[1]d{0%%,%.2[2]f%%{opacity:0}%.2[3]f%%,100%%{opacity:1}}\n", line, 100*at/loop, 100*at/loop+0.01)
	}
	for _, s := range scenes {
		at += beforeType
		appear("t", `<tspan class="g">$</tspan> `+html.EscapeString(s.command))
		at += keystroke*float64(len(s.command)) + s.took.Seconds()
		for _, text := range s.lines {
			if text != "" {
				appear("t", colors(text))
			}
		}
		at += max(pause, 0)
	}
	width, height := int(math.Ceil(columnsMax*charWidth))+32, 34+line*lineHeight+20
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="A terminal with commands of Assay and what they print">
<style>
.t{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d0d7de;white-space:pre;animation-duration: %[3]ds;animation-iteration-count:infinite;animation-timing-function:step-end}
.b{font-weight:bold;fill:#ffffff}.r{fill:#ff7b72}.g{fill:#7ee787}.y{fill:#e3b341}
%[4]s@media (prefers-reduced-motion:reduce){.t{animation:none}}
</style>
<rect width="%[1]d" height="%[2]d" rx="8" fill="#0d1117"/>
<circle cx="20" cy="18" r="5" fill="#ff5f56"/><circle cx="38" cy="18" r="5" fill="#ffbd2e"/><circle cx="56" cy="18" r="5" fill="#27c93f"/>
%[5]s</svg>
`, width, height, int(loop), rules.String(), texts.String())
}

var sequence = regexp.MustCompile(`\x1b\[(\d+)m`)

// colors returns a line with its colors as elements, cut at the width of the picture.
func colors(text string) string {
	classes := map[string]string{"1": "b", "31": "r", "32": "g", "33": "y"}
	var out strings.Builder
	open, column, last := false, 0, 0
	write := func(part string) {
		for _, r := range part {
			if column++; column < columnsMax {
				out.WriteString(html.EscapeString(string(r)))
			} else if column == columnsMax {
				out.WriteString("…")
			}
		}
	}
	for _, found := range sequence.FindAllStringSubmatchIndex(text, -1) {
		write(text[last:found[0]])
		last = found[1]
		if open {
			out.WriteString("</tspan>")
			open = false
		}
		if class := classes[text[found[2]:found[3]]]; class != "" {
			fmt.Fprintf(&out, `<tspan class="%s">`, class)
			open = true
		}
	}
	write(text[last:])
	if open {
		out.WriteString("</tspan>")
	}
	return out.String()
}

var (
	textElement = regexp.MustCompile(`(?m)^<text [^>]*>(.*)</text>$`)
	element     = regexp.MustCompile(`</?tspan[^>]*>`)
	varying     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)
)

// shownBy returns the lines that a picture shows, with the same text for all ids and times.
func shownBy(svg string) string {
	var lines []string
	for _, found := range textElement.FindAllStringSubmatch(svg, -1) {
		text := html.UnescapeString(element.ReplaceAllString(found[1], ""))
		lines = append(lines, varying.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("#", utf8.RuneCountInString(s)) }))
	}
	return strings.Join(lines, "\n")
}
