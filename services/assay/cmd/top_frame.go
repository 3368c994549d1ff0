package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assay-project/assay/services/assay/client"
)

// style returns the text in a style, if the view has colors.
func (v *topView) style(c style, text string) string {
	if !v.color {
		return text
	}
	return c.of(text)
}

// frame returns the lines of the view. A width or height of 0 is unlimited.
func (v *topView) frame(now time.Time, width, height int) []string {
	lines := []string{v.header(now, width)}
	if v.at.IsZero() {
		return lines
	}
	heads, _ := columnsOfAreas()
	lines = append(append(lines, v.backends(width)...), "", v.style(bold, v.row(heads, nil)))
	for _, a := range v.status.Areas {
		lines = append(lines, v.area(a))
	}
	if n := v.otherLetters(); n > 0 {
		lines = append(lines, v.row([]string{"other", "", "", "", "", "", "", "", short(n)}, map[int]style{8: red}))
	}
	oldest, failed, sweeps := v.oldest(width), v.errors(width), v.sweeps(width)
	if height > 0 {
		oldest, failed, sweeps = share(height-len(lines), oldest, failed, sweeps)
		if width < wideEnough && len(failed) > 1 {
			failed = failed[:len(failed)/2*2]
		}
	}
	for _, section := range []struct {
		title string
		lines []string
	}{{"OLDEST ITEMS", oldest}, {"LAST ERRORS", failed}, {"SWEEPS", sweeps}} {
		if len(section.lines) > 0 {
			lines = append(append(lines, "", v.style(bold, section.title)), section.lines...)
		}
	}
	if height > 0 {
		lines = lines[:min(len(lines), height)]
	}
	return lines
}

// share shortens the sections so that they fit into a number of lines, with an empty line and a title before each.
func share(lines int, oldest, failed, sweeps []string) (o, f, s []string) {
	const head = 2
	s = sweeps[:max(0, min(len(sweeps), lines/4-head+1))]
	if len(s) > 0 {
		lines -= head + len(s)
	}
	f = failed[:max(0, min(len(failed), max(lines/2, lines-head-len(oldest))-head))]
	if len(f) > 0 {
		lines -= head + len(f)
	}
	return oldest[:max(0, min(len(oldest), lines-head))], f, s
}

// header returns the first line: the server, the time of the state, and whether the server is lost.
func (v *topView) header(now time.Time, width int) string {
	left := "assay top  " + v.server
	lost := v.lost
	if unreachable, ok := errors.AsType[*client.Unreachable](lost); ok {
		lost = unreachable.Err // its text would repeat the address
	}
	switch {
	case lost != nil && v.at.IsZero():
		return v.style(red, fit(left+"  NO DATA: "+shown(lost.Error()), width))
	case lost != nil:
		return v.style(red, fit(fmt.Sprintf("%s  NO DATA for %s: %s", left, age(now.Sub(v.at)), shown(lost.Error())), width))
	case v.at.IsZero():
		return fit(left+"  reading", width)
	}
	right := v.at.Local().Format(time.DateTime)
	if v.interval > 0 {
		right = v.at.Local().Format(time.TimeOnly) + "  every " + v.interval.String() + "  q ends"
	}
	return v.style(bold, fit(left+strings.Repeat(" ", max(2, width-utf8.RuneCountInString(left+right)))+right, width))
}

// backends returns a line with all checks, one for each that fails, and one for each part of the state that is missing.
func (v *topView) backends(width int) []string {
	var all, failed []string
	for _, d := range v.status.Dependencies {
		if d.OK {
			all = append(all, fmt.Sprintf("%s %d ms", d.Name, d.Millis))
			continue
		}
		all = append(all, d.Name+" FAILS")
		failed = append(failed, v.style(red, fit(d.Name+" FAILS: "+shown(d.Detail), width)))
	}
	color := green
	if len(failed) > 0 {
		color = red
	}
	lines := append([]string{v.style(color, fit("checks: "+strings.Join(all, ", "), width))}, failed...)
	for _, problem := range slices.Concat(v.status.Problems, v.items.Problems) {
		lines = append(lines, v.style(yellow, fit("not read: "+shown(problem), width)))
	}
	return lines
}

// columnsOfAreas returns the headings of the table of areas and their widths: 80 columns in total.
func columnsOfAreas() (heads []string, widths []int) {
	return []string{"AREA", "ACCEPT/M", "DONE/M", "FAIL/M", "WAITING", "OLDEST", "IN FLIGHT", "RETRYING", "DEAD"}, []int{-9, 8, 8, 8, 8, 8, 9, 9, 5}
}

// row aligns the cells of the table of areas. parameters contains the styles of some cells.
func (v *topView) row(cells []string, parameters map[int]style) string {
	_, widths := columnsOfAreas()
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(v.style(parameters[i], fmt.Sprintf("%*s", widths[i], cell)))
	}
	return line.String()
}

// area returns the line of an area. Cells that need attention have a color.
func (v *topView) area(a client.AreaStatus) string {
	var items client.AreaItems
	if i := slices.IndexFunc(v.items.Areas, func(of client.AreaItems) bool { return of.Name == a.Name }); i >= 0 {
		items = v.items.Areas[i]
	}
	oldest := "-"
	if !a.Oldest.IsZero() {
		oldest = age(v.status.At.Sub(a.Oldest))
	}
	failed := perMinute(a.Minutes, v.status.At, func(m client.StatusMinute) uint64 { return m.Failed })
	parameters := map[int]style{}
	if failed != "0" {
		parameters[3] = red
	}
	if items.Retrying > 0 {
		parameters[7] = yellow
	}
	if items.DeadLetters > 0 {
		parameters[8] = red
	}
	return v.row([]string{
		a.Name,
		perMinute(a.Minutes, v.status.At, func(m client.StatusMinute) uint64 { return m.Accepted }),
		perMinute(a.Minutes, v.status.At, func(m client.StatusMinute) uint64 { return m.Completed }),
		failed, short(a.Waiting), oldest, short(uint64(items.InFlight)), short(uint64(items.Retrying)), short(items.DeadLetters),
	}, parameters)
}

// otherLetters returns the number of dead letters of consumers that belong to no area.
func (v *topView) otherLetters() (n uint64) {
	for _, letters := range v.status.DeadLetters {
		n += letters
	}
	for _, a := range v.items.Areas {
		n -= min(n, a.DeadLetters)
	}
	return n
}

// perMinute returns the events per minute in the last complete minute and the current one.
func perMinute(minutes []client.StatusMinute, at time.Time, of func(client.StatusMinute) uint64) string {
	if len(minutes) < 2 {
		return "-"
	}
	n := of(minutes[len(minutes)-2]) + of(minutes[len(minutes)-1])
	each := float64(n) * 60 / float64(60+at.Unix()%60)
	switch {
	case n == 0:
		return "0"
	case each < 10:
		return fmt.Sprintf("%.1f", each)
	}
	return short(uint64(each + 0.5))
}

// short formats a number in at most 6 characters.
func short(n uint64) string {
	switch {
	case n < 100_000:
		return fmt.Sprint(n)
	case n < 10_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}

// age formats a duration with its two largest units.
func age(d time.Duration) string {
	seconds := int64(max(d, 0) / time.Second)
	switch {
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%dm%02ds", seconds/60, seconds%60)
	case seconds < 48*3600:
		return fmt.Sprintf("%dh%02dm", seconds/3600, seconds/60%60)
	}
	return fmt.Sprintf("%dd%02dh", seconds/86400, seconds/3600%24)
}

// oldest returns the lines of the oldest items of all areas, oldest first.
func (v *topView) oldest(width int) []string {
	type aged struct {
		area string
		client.StatusItem
	}
	var all []aged
	for _, a := range v.items.Areas {
		for _, i := range a.Oldest {
			all = append(all, aged{a.Name, i})
		}
	}
	slices.SortStableFunc(all, func(a, b aged) int { return a.QueuedAt.Compare(b.QueuedAt) })
	lines := make([]string, len(all))
	for i, one := range all {
		state := "queued"
		if one.State == "delivered" {
			state = fmt.Sprintf("attempt %d", one.Attempt)
		}
		lines[i] = fit(fmt.Sprintf("%8s  %-9s %-36s  %s", age(v.status.At.Sub(one.QueuedAt)), one.area, shown(cmp.Or(one.ID, one.Subject)), state), width)
		if one.Attempt > 1 {
			lines[i] = v.style(yellow, lines[i])
		}
	}
	return orNone(lines)
}

// wideEnough is the width from which an error is shown in one line.
const wideEnough = 132

// errors returns the lines of the last errors, newest first. In a narrow terminal, the reason has its own line.
func (v *topView) errors(width int) []string {
	var lines []string
	for _, e := range v.items.Errors {
		what := e.Kind
		if e.Kind == "dead" {
			what = fmt.Sprintf("dead %d %s", e.Sequence, e.Class)
		}
		what = fmt.Sprintf("%8s  %-9s %-36s  %s", stamp(e.At, v.status.At), cmp.Or(e.Area, e.Consumer), shown(e.ID), what)
		if width > 0 && width < wideEnough {
			lines = append(lines, fit(what, width), fit(strings.Repeat(" ", 10)+shown(e.Text), width))
		} else {
			lines = append(lines, fit(what+": "+shown(e.Text), width))
		}
	}
	return orNone(lines)
}

// stamp formats the time of an error: with the date unless it is less than 12 hours ago.
func stamp(at, now time.Time) string {
	if now.Sub(at) < 12*time.Hour {
		return at.Local().Format(time.TimeOnly)
	}
	return at.Local().Format("Jan 02")
}

// sweeps returns a line for each stop, and one with the last sweep of each area.
func (v *topView) sweeps(width int) []string {
	var lines, all []string
	for _, s := range v.status.Sweeps {
		for _, stop := range s.Stops {
			lines = append(lines, v.style(red, fit(fmt.Sprintf("%s STOPPED: %d %s of %d; %s", s.Area, stop.Orphans, stop.Found, stop.Of, shown(stop.Reason)), width)))
		}
		if s.Error != "" {
			lines = append(lines, v.style(red, fit(s.Area+" INCOMPLETE: "+shown(s.Error), width)))
		}
		text := fmt.Sprintf("%s %s ago, %d found", s.Area, age(v.status.At.Sub(s.At)), s.Found)
		if s.Failed > 0 {
			text += fmt.Sprintf(", %d NOT REPAIRED", s.Failed)
		}
		all = append(all, text)
	}
	for len(all) > 0 {
		n := 1
		for n < len(all) && (width == 0 || utf8.RuneCountInString(strings.Join(all[:n+1], "; ")) <= width) {
			n++
		}
		lines = append(lines, fit(strings.Join(all[:n], "; "), width))
		all = all[n:]
	}
	return orNone(lines)
}

func orNone(lines []string) []string {
	if len(lines) == 0 {
		return []string{"none"}
	}
	return lines
}

// fit cuts a line off at a width, if it is not 0.
func fit(line string, width int) string {
	if width == 0 || utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:max(width-1, 0)]) + "…"
}
