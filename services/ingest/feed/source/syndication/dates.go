package syndication

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	isoForm = regexp.MustCompile(`^(\d{4}|\d{2})(?:-?(\d{2})(?:-?(\d{2}))?|-?(\d{3}))?(?:(?:t| +)(\d{1,2})(?::?(\d{2})(?::?(\d{2}|\d\b)(?:[.,]\d*)?)?)?\s*(.*))?$`)
	half    = regexp.MustCompile(`^[ap]\.?m\b`)
	// clock matches a time of day, and what follows it: a zone, a year or both.
	clock     = regexp.MustCompile(`\b(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,]\d+)?)?(?:\s*([ap])\.?m\b\.?)?`)
	offset    = regexp.MustCompile(`([+-])(\d{1,2}):?(\d{2})?(?::?\d{2})?\b`)
	yearFirst = regexp.MustCompile(`\b(\d{4})[-/. ]+(\d{1,2})[-/. ]+(\d{1,2})\b`)
	word      = regexp.MustCompile(`[a-z]+|\d+`)
	korean    = regexp.MustCompile(`(\d{4})(?:년|-)\s*(\d{1,2})(?:월|-)\s*(\d{1,2})일?\s*(오전|오후)?\s*(\d{1,2}:\d{2}(?::\d{2})?)`)

	months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	// zones are the hours by which named zones are ahead of UTC. Other names, like no zone, mean UTC.
	zones = map[string]int{
		"ast": -4, "adt": -3, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "akst": -9, "akdt": -8, "hst": -10,
		"bst": 1, "west": 1, "cet": 1, "cest": 2, "met": 1, "mest": 2, "eet": 2, "eest": 3, "msk": 3, "jst": 9, "kst": 9,
	}
	// foreign translates the dates of Greek, Hungarian and Korean publishers.
	foreign = strings.NewReplacer(
		"ιαν", "jan", "φεβ", "feb", "μαρ", "mar", "μάρ", "mar", "απρ", "apr", "μάι", "may", "μαϊ", "may", "μαι", "may",
		"ιουν", "jun", "ιούν", "jun", "ιον", "jun", "ιουλ", "jul", "ιούλ", "jul", "ιολ", "jul", "αυγ", "aug", "αύγ", "aug", "σεπ", "sep",
		"οκτ", "oct", "νοέ", "nov", "νοε", "nov", "δεκ", "dec",
		"január", "01", "február", "02", "március", "03", "április", "04", "május", "05", "június", "06", "július", "07",
		"augusztus", "08", "szeptember", "09", "október", "10", "-november-", "-11-", "-december-", "-12-",
	)
)

const maxDate = 100 // bytes

// date returns the time of a date in one of the forms of feeds: RFC 822, 850 and 3339, ISO 8601, asctime and
// their common variants. The weekday may be wrong. It returns the zero time for other text.
func date(text string) time.Time {
	if text = strings.ToLower(strings.TrimSpace(text)); len(text) > maxDate {
		return time.Time{}
	}
	if strings.ContainsAny(text, "년오") {
		text = korean.ReplaceAllString(text, "$1-$2-$3 $5 $4 kst")
		text = strings.NewReplacer("오전", "am", "오후", "pm").Replace(text)
	}
	text = foreign.Replace(text)
	if at := isoDate(text); !at.IsZero() {
		return at
	}
	return wordyDate(text)
}

func isoDate(text string) time.Time {
	m := isoForm.FindStringSubmatch(text)
	if m == nil || len(m[1]) == 2 && m[3] == "" || half.MatchString(m[8]) {
		return time.Time{}
	}
	year, month, day := fullYear(m[1]), max(number(m[2]), 1), max(number(m[3]), 1)
	if m[4] != "" {
		ordinal := number(m[4])
		if ordinal < 1 || ordinal > 366 {
			return time.Time{}
		}
		start := time.Date(year, 1, ordinal, 0, 0, 0, 0, time.UTC)
		month, day = int(start.Month()), start.Day()
	}
	return moment(year, month, day, number(m[5]), number(m[6]), number(m[7]), zone(m[8]))
}

// wordyDate parses a date with the name of its month, or with its year first.
func wordyDate(text string) time.Time {
	hour, minute, second, ahead := 0, 0, 0, time.Duration(0)
	if at := clock.FindStringSubmatchIndex(text); at != nil {
		part := func(n int) string {
			if at[2*n] < 0 {
				return ""
			}
			return text[at[2*n]:at[2*n+1]]
		}
		hour, minute, second = number(part(1)), number(part(2)), number(part(3))
		if letter := part(4); letter != "" && hour <= 12 {
			hour %= 12
			if letter == "p" {
				hour += 12
			}
		}
		after := text[at[1]:]
		ahead = zone(after)
		text = text[:at[0]] + " " + offset.ReplaceAllString(after, " ")
	}
	if m := yearFirst.FindStringSubmatch(text); m != nil {
		return moment(number(m[1]), number(m[2]), number(m[3]), hour, minute, second, ahead)
	}
	month, numbers := 0, []string(nil)
	for _, part := range word.FindAllString(text, -1) {
		switch {
		case part[0] >= '0' && part[0] <= '9':
			numbers = append(numbers, part)
		case month == 0 && len(part) >= 3:
			month = slices.Index(months, part[:3]) + 1
		}
	}
	if month == 0 || len(numbers) != 2 {
		return time.Time{}
	}
	day, year := numbers[0], numbers[1]
	if len(day) > 2 {
		day, year = year, day
	}
	return moment(fullYear(year), month, number(day), hour, minute, second, ahead)
}

// moment returns the zero time if a part is out of range.
func moment(year, month, day, hour, minute, second int, ahead time.Duration) time.Time {
	start := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year < 1 || start.Month() != time.Month(month) || start.Day() != day || hour > 24 || minute > 59 || second > 60 {
		return time.Time{}
	}
	return time.Date(year, time.Month(month), day, hour, minute, min(second, 59), 0, time.UTC).Add(-ahead)
}

// zone returns how far the zone that a text names is ahead of UTC.
func zone(text string) time.Duration {
	if m := offset.FindStringSubmatch(text); m != nil {
		ahead := time.Duration(number(m[2]))*time.Hour + time.Duration(number(m[3]))*time.Minute
		if m[1] == "-" {
			return -ahead
		}
		return ahead
	}
	for _, name := range word.FindAllString(text, -1) {
		if hours, known := zones[name]; known {
			return time.Duration(hours) * time.Hour
		}
	}
	return 0
}

// fullYear returns a year that may be written with two digits.
func fullYear(text string) int {
	year := number(text)
	switch {
	case len(text) > 2:
		return year
	case year < 90: // as in feedparser
		return year + 2000
	}
	return year + 1900
}

// number returns the value of digits, or 0 for other text.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
