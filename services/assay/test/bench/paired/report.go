package paired

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Print writes the result of a trial as text.
func (r Result) Print(w io.Writer) {
	fmt.Fprintf(w, "\n%s: %s vs %s\n", r.Title, r.Own.Name, r.rivalName())
	for _, j := range r.Judge() {
		fmt.Fprintf(w, "  %-4s %-28s %s", j.ID, j.What, j.Verdict)
		if j.Reason != "" {
			fmt.Fprintf(w, " (%s)", j.Reason)
		}
		fmt.Fprintln(w)
		if j.Own == (Spread{}) {
			continue
		}
		fmt.Fprintf(w, "       own    %s\n", j.Own.format(j.Quantity))
		if r.Rival.Run != nil {
			fmt.Fprintf(w, "       rival  %s\n       ratio  %.2f  %s\n", j.Rival.format(j.Quantity), j.Ratio, j.bars())
		} else if j.Must != 0 {
			fmt.Fprintf(w, "       %s\n", j.bars())
		}
	}
}

func (r Result) rivalName() string {
	if r.Rival.Name == "" {
		return "a fixed goal"
	}
	return r.Rival.Name
}

func (s Spread) format(quantity string) string {
	return fmt.Sprintf("min %s  median %s  max %s  (max/min %.2f)", amount(s.Min, quantity), amount(s.Median, quantity), amount(s.Max, quantity), s.Noise())
}

func (g Goal) bars() string {
	if g.Must == 0 {
		return ""
	}
	sign := "≥"
	if g.Direction == AtMost {
		sign = "≤"
	}
	bars := fmt.Sprintf("must %s %s", sign, number(g.Must))
	if g.Target != 0 {
		bars += fmt.Sprintf(", target %s %s", sign, number(g.Target))
	}
	return bars
}

// Table returns a Markdown table of all goals with a limit, with the medians of the runs. Print also
// writes goals without a limit.
func Table(results []Result) string {
	var b strings.Builder
	b.WriteString("|goal|what|own|rival|own median|rival median|ratio|must; target|verdict|\n|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		for _, j := range r.Judge() {
			if j.Must == 0 {
				continue
			}
			ratio := ""
			if j.Own != (Spread{}) && r.Rival.Run != nil {
				ratio = fmt.Sprintf("**%.2f**", j.Ratio)
			}
			verdict := string(j.Verdict)
			if j.Reason != "" {
				verdict += ": " + j.Reason
			}
			fmt.Fprintf(&b, "|%s|%s, %s|%s|%s|%s|%s|%s|%s|%s|\n", j.ID, r.Title, j.What, r.Own.Name, r.rivalName(),
				j.Own.cell(j.Quantity), j.Rival.cell(j.Quantity), ratio, strings.NewReplacer("must ", "", ", target", ";").Replace(j.bars()), verdict)
		}
	}
	return b.String()
}

func (s Spread) cell(quantity string) string {
	if s == (Spread{}) {
		return ""
	}
	return amount(s.Median, quantity)
}

// amount formats a cost with its unit: bytes for Peak and quantities whose name ends with "bytes",
// plain numbers for other quantities whose name contains a space, and seconds for the rest.
func amount(x float64, quantity string) string {
	switch {
	case quantity == Peak || strings.HasSuffix(quantity, "bytes"):
		if x < 10_000 {
			return number(x) + " B"
		}
		return number(x/1e6) + " MB"
	case strings.Contains(quantity, " "):
		return number(x)
	case x < 1e-3:
		return number(x*1e6) + " µs"
	case x < 1:
		return number(x*1e3) + " ms"
	}
	return number(x) + " s"
}

// number formats a value with three significant digits.
func number(x float64) string {
	if x == 0 {
		return "0"
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(math.Abs(x)))))
	text := fmt.Sprintf("%.*f", min(decimals, 6), x)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
