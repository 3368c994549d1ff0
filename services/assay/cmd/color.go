package cmd

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// style is the parameter of a terminal's sequence that selects a color or a weight (ECMA-48, SGR); "" selects none.
type style string

const (
	bold   style = "1"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// of returns a text in the style.
func (c style) of(text string) string {
	if c == "" || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// colored reports whether output to w has colors: on a terminal, unless NO_COLOR is set (no-color.org) or the terminal
// cannot show them.
func colored(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

// painted is a text in a style. Its width is that of the text.
type painted struct {
	text string
	in   style
}

// Format writes the text padded to the width of the verb, and only the text in the style.
func (p painted) Format(f fmt.State, _ rune) {
	text, padding := p.in.of(p.text), ""
	if width, set := f.Width(); set {
		padding = strings.Repeat(" ", max(0, width-utf8.RuneCountInString(p.text)))
	}
	if f.Flag('-') {
		text += padding
	} else {
		text = padding + text
	}
	_, _ = io.WriteString(f, text) // fmt reports errors of its writer
}

// in returns c if output has colors.
func (s *settings) in(c style) style {
	if s.color {
		return c
	}
	return ""
}

// state returns the cell of a state: red if somebody has to act, green at a good end, yellow in between.
func (s *settings) state(name string) painted {
	c := style("")
	switch strings.ToLower(name) {
	case "failed", "failing", "dead", "firing", "suspended", "revoked", "expired", "error":
		c = red
	case "completed", "processed", "done", "active", "delivered", "ok", "enabled", "normal", "polling":
		c = green
	case "pending", "in_progress", "queued", "processing", "editing", "created", "loading", "loaded", "processedpartially", "partial",
		"paused", "held", "retrying", "waiting", "stopped":
		c = yellow
	}
	return painted{shown(name), s.in(c)}
}
