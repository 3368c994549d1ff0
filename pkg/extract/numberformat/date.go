package numberformat

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxDays is the last day of the year 9999, as in Excel.
const maxDays = 2958465

// moment is a date and time. In the calendar of Excel, 1900 is a leap year, and day 0 is January 0, 1900.
type moment struct {
	year, month, day, weekday int   // weekday 0 is a Sunday
	milliseconds              int64 // since midnight
	total                     int64 // of a duration
}

// Date reports whether the format displays a positive number as a date or a time, and whether it displays nothing but the time of
// day. A duration is neither.
func (f Format) Date() (isDate, timeOnly bool) {
	s, _ := f.choose(1)
	if s == nil || s.kind != date {
		return false, false
	}
	for i, t := range s.tokens {
		if t.kind == part && (strings.Contains("yd", t.text[:1]) || t.text[0] == 'm' && !s.isMinute(i)) {
			return true, false
		}
	}
	return true, true
}

// momentOf returns the moment of a serial number, rounded to a number of decimals of a second.
func momentOf(days float64, decimals int, date1904 bool) moment {
	unit := int64(math.Pow10(3 - decimals))
	const perDay = 24 * 60 * 60 * 1000
	total := int64(math.Round(days*perDay/float64(unit))) * unit
	m := moment{milliseconds: total % perDay, total: total}
	serial := int(total / perDay)
	if date1904 {
		serial += 1462
	}
	m.weekday = (serial + 6) % 7
	switch {
	case serial == 60:
		m.year, m.month, m.day = 1900, 2, 29
		return m
	case serial == 0:
		m.year, m.month, m.day = 1900, 1, 0
		return m
	case serial < 60:
		serial++
	}
	t := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, serial)
	m.year, m.month, m.day = t.Year(), int(t.Month()), t.Day()
	return m
}

// showDate displays a serial number that is not negative.
func (s section) showDate(days float64, date1904 bool) string {
	if days > maxDays+1 && s.kind == date || days > 1e9 {
		return General(days)
	}
	m := momentOf(days, s.seconds, date1904)
	noonAt := s.find(noon)
	var b strings.Builder
	summed := byte(0) // the unit that was displayed as a sum
	for i, t := range s.tokens {
		switch t.kind {
		case total:
			summed = t.text[0]
			b.WriteString(padded(m.sum(summed), len(t.text)))
		case noon:
			b.WriteString(half(t.text, m.milliseconds >= 12*60*60*1000))
		case tenths:
			b.WriteString(fmt.Sprintf(".%03d", m.milliseconds%1000)[:1+len(t.text)])
		case part:
			if t.text[0] == summed {
				b.WriteString(padded(m.sum(summed), min(len(t.text), 2)))
			} else {
				b.WriteString(m.show(t.text, s.isMinute(i), noonAt >= 0))
			}
		case standard, content:
		default:
			b.WriteString(t.text)
		}
	}
	return b.String()
}

// sum returns the complete hours, minutes or seconds of a duration.
func (m moment) sum(unit byte) int64 {
	return m.total / map[byte]int64{'h': 60 * 60 * 1000, 'm': 60 * 1000, 's': 1000}[unit]
}

// half returns AM, PM, A, P, a or p.
func half(code string, afternoon bool) string {
	morning, after, _ := strings.Cut(code, "/")
	if len(code) == len("am/pm") {
		morning, after = "AM", "PM"
	}
	if afternoon {
		return after
	}
	return morning
}

func padded(n int64, width int) string { return fmt.Sprintf("%0*d", width, n) }

// show displays a part of the moment.
func (m moment) show(code string, minute, twelve bool) string {
	width := len(code)
	two := min(width, 2)
	switch code[0] {
	case 'y':
		if width <= 2 {
			return padded(int64(m.year%100), 2)
		}
		return strconv.Itoa(m.year)
	case 'd':
		if width > 2 {
			return short(time.Weekday(m.weekday).String(), width)
		}
		return padded(int64(m.day), two)
	case 'h':
		hour := m.milliseconds / (60 * 60 * 1000)
		if twelve {
			hour = (hour+11)%12 + 1
		}
		return padded(hour, two)
	case 's':
		return padded(m.milliseconds/1000%60, two)
	}
	if minute {
		return padded(m.milliseconds/60_000%60, two)
	}
	switch name := time.Month(m.month).String(); {
	case width == 5:
		return name[:1]
	case width > 2:
		return short(name, width)
	}
	return padded(int64(m.month), two)
}

// short returns a name, or its first three letters for a width of 3.
func short(name string, width int) string {
	if width == 3 {
		return name[:3]
	}
	return name
}

// isMinute reports whether the m at i means minutes: it follows hours or precedes seconds.
func (s section) isMinute(i int) bool {
	near := func(step int, units string) bool {
		for j := i + step; j >= 0 && j < len(s.tokens); j += step {
			if t := s.tokens[j]; t.kind == part || t.kind == total {
				return strings.Contains(units, t.text[:1])
			}
		}
		return false
	}
	return near(-1, "hs") || near(1, "s")
}
