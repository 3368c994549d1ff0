package office

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// builtinFormats maps the ids of the predefined number formats, which a workbook does not list, to
// their codes in the en-US locale (ECMA-376, part 1, section 18.8.30).
var builtinFormats = map[string]string{
	"1": "0", "2": "0.00", "3": "#,##0", "4": "#,##0.00", "9": "0%", "10": "0.00%", "11": "0.00E+00", "12": "# ?/?", "13": "# ??/??",
	"14": "m/d/yyyy", "15": "d-mmm-yy", "16": "d-mmm", "17": "mmm-yy", "18": "h:mm AM/PM", "19": "h:mm:ss AM/PM", "20": "h:mm", "21": "h:mm:ss", "22": "m/d/yyyy h:mm",
	"37": "#,##0;(#,##0)", "38": "#,##0;(#,##0)", "39": "#,##0.00;(#,##0.00)", "40": "#,##0.00;(#,##0.00)",
	"45": "mm:ss", "46": "[h]:mm:ss", "47": "mm:ss.0", "48": "##0.0E+0", "49": "@",
}

// numberFormat has up to three sections: for positive numbers, negative numbers and zero.
type numberFormat []section

type section struct {
	tokens   []string
	date     bool
	percents int
	grouped  bool
	integer  int // minimum digits before the decimal point
	decimals int // digits after the decimal point
	optional int // trailing decimals that are omitted if zero
	exponent bool
}

// parseFormat parses a format code. It ignores colors, conditions and widths.
func parseFormat(code string) numberFormat {
	var f numberFormat
	if code == "" || strings.EqualFold(code, "general") || code == "@" {
		return nil
	}
	for _, part := range splitFormat(code) {
		f = append(f, parseSection(part))
	}
	return f
}

// splitFormat splits a code into sections of tokens. Tokens of literal text begin with a quotation mark.
func splitFormat(code string) [][]string {
	sections := [][]string{nil}
	add := func(t string) { sections[len(sections)-1] = append(sections[len(sections)-1], t) }
	for i := 0; i < len(code); {
		switch c := code[i]; {
		case c == ';':
			sections = append(sections, nil)
			i++
		case c == '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				end = len(code) - i - 1
			}
			add(`"` + code[i+1:i+1+end])
			i += end + 2
		case c == '\\' && i+1 < len(code):
			add(`"` + code[i+1:i+2])
			i += 2
		case c == '_' || c == '*': // a width or fill character
			i += 2
		case c == '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				return sections
			}
			add(code[i : i+end+1])
			i += end + 1
		case strings.HasPrefix(strings.ToUpper(code[i:]), "AM/PM"):
			add("AM/PM")
			i += 5
		case strings.ContainsRune("ymdhsYMDHS", rune(c)):
			end := i
			for end < len(code) && code[end]|0x20 == c|0x20 {
				end++
			}
			add(strings.ToLower(code[i:end]))
			i = end
		case (c == 'E' || c == 'e') && i+1 < len(code) && (code[i+1] == '+' || code[i+1] == '-'):
			add("E")
			i += 2
		default:
			add(code[i : i+1])
			i++
		}
	}
	return sections
}

func parseSection(tokens []string) section {
	s := section{tokens: tokens}
	point := false
	for i, t := range tokens {
		switch {
		case strings.HasPrefix(t, "[") && strings.Trim(strings.ToLower(t), "[]hms") == "" && len(t) > 2:
			s.date = true
		case strings.HasPrefix(t, "[$"): // a currency symbol and locale
			sign, _, _ := strings.Cut(strings.Trim(t, "[]$"), "-")
			tokens[i] = `"` + sign
		case strings.ContainsAny(t[:1], "ymdhs"):
			s.date = true
		case t == "E":
			s.exponent = true
		case t == "%":
			s.percents++
		case t == ".":
			point = true
		case t == ",":
			s.grouped = true
		case t == "0" || t == "#" || t == "?":
			switch {
			case s.exponent:
			case point:
				s.decimals++
				if t != "0" {
					s.optional++
				}
			case t == "0":
				s.integer++
			}
		}
	}
	return s
}

// show formats a number.
func (f numberFormat) show(n float64, date1904 bool) string {
	if len(f) == 0 {
		return general(n)
	}
	s, value := f[0], n
	switch {
	case n < 0 && len(f) > 1:
		s, value = f[1], -n
	case n == 0 && len(f) > 2:
		s = f[2]
	}
	if s.date {
		return s.showDate(value, date1904)
	}
	return s.showNumber(value)
}

// general formats a number as in a cell without a number format, with at most 11 digits.
func general(n float64) string {
	if size := math.Abs(n); n != 0 && (size >= 1e11 || size < 1e-9) {
		return strconv.FormatFloat(n, 'E', -1, 64)
	}
	s := strconv.FormatFloat(n, 'f', -1, 64)
	if len(s) > 11 && strings.Contains(s, ".") {
		digits := max(0, 10-strings.IndexByte(s, '.'))
		s = strings.TrimRight(strconv.FormatFloat(n, 'f', digits, 64), "0")
		s = strings.TrimSuffix(s, ".")
	}
	return s
}

func (s section) showNumber(n float64) string {
	n *= math.Pow(100, float64(s.percents))
	var digits string
	switch {
	case s.exponent:
		digits = strconv.FormatFloat(n, 'E', min(s.decimals, 15), 64)
	default:
		digits = strconv.FormatFloat(n, 'f', min(s.decimals, 15), 64)
		for range s.optional {
			digits = strings.TrimSuffix(digits, "0")
		}
		whole, rest, _ := strings.Cut(digits, ".")
		sign := ""
		if strings.HasPrefix(whole, "-") {
			sign, whole = "-", whole[1:]
		}
		if s.integer == 0 && whole == "0" && rest != "" {
			whole = ""
		}
		whole = strings.Repeat("0", max(0, min(s.integer, 30)-len(whole))) + whole
		if s.grouped {
			whole = group(whole)
		}
		if digits = sign + whole; rest != "" {
			digits += "." + rest
		}
	}
	var b strings.Builder
	written := false
	for _, t := range s.tokens {
		switch {
		case strings.HasPrefix(t, `"`):
			b.WriteString(t[1:])
		case strings.ContainsAny(t[:1], "0#?.,E"):
			if !written {
				b.WriteString(digits)
			}
			written = true
		case strings.HasPrefix(t, "["):
		case t == "/" || t == "@": // show fractions as decimal numbers
		default:
			b.WriteString(t)
		}
	}
	return b.String()
}

func group(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// showDate formats a serial date: days since the epoch of the workbook's date system.
func (s section) showDate(days float64, date1904 bool) string {
	if days < 0 || days > 3e6 {
		return general(days)
	}
	first := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if date1904 {
		first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	whole := math.Floor(days)
	t := first.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round((days-whole)*86400*1000)) * time.Millisecond)
	twelveHour := false
	for _, token := range s.tokens {
		twelveHour = twelveHour || token == "AM/PM"
	}
	var b strings.Builder
	for i, token := range s.tokens {
		switch {
		case strings.HasPrefix(token, `"`):
			b.WriteString(token[1:])
		case token == "AM/PM":
			b.WriteString(t.Format("PM"))
		case strings.HasPrefix(token, "[h"):
			b.WriteString(strconv.Itoa(int(days * 24)))
		case strings.HasPrefix(token, "[m"):
			b.WriteString(strconv.Itoa(int(days * 24 * 60)))
		case strings.HasPrefix(token, "[s"):
			b.WriteString(strconv.Itoa(int(days * 86400)))
		case strings.HasPrefix(token, "["):
		case strings.ContainsAny(token[:1], "ymdhs"):
			b.WriteString(t.Format(s.layout(i, twelveHour)))
		case token == "0" || token == "@" || token == "#" || token == "?":
		default:
			b.WriteString(token)
		}
	}
	return b.String()
}

// layout converts a date token to a layout of package time.
func (s section) layout(i int, twelveHour bool) string {
	token := s.tokens[i]
	n := len(token)
	pick := func(layouts ...string) string { return layouts[min(n, len(layouts))-1] }
	switch token[0] {
	case 'y':
		return pick("06", "06", "2006")
	case 'd':
		return pick("2", "02", "Mon", "Monday")
	case 'h':
		if twelveHour {
			return pick("3", "03")
		}
		return "15"
	case 's':
		return pick("5", "05")
	}
	if s.isMinute(i) {
		return pick("4", "04")
	}
	return pick("1", "01", "Jan", "January")
}

// isMinute reports whether the m at i means minutes: it follows hours or precedes seconds.
func (s section) isMinute(i int) bool {
	near := func(step int, letters string) bool {
		for j := i + step; j >= 0 && j < len(s.tokens); j += step {
			token := strings.Trim(s.tokens[j], "[]")
			if token != "" && strings.ContainsAny(token[:1], "ymdhs") {
				return strings.ContainsAny(token[:1], letters)
			}
		}
		return false
	}
	return near(-1, "h") || near(1, "s")
}
