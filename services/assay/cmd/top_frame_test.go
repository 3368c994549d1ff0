package cmd

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/assay-project/assay/services/assay/client"
)

// busyTop returns a view of a busy system with long texts.
func busyTop() topView {
	at := time.Date(2026, 11, 29, 3, 12, 30, 0, time.UTC)
	minutes := make([]client.StatusMinute, 60)
	minutes[58], minutes[59] = client.StatusMinute{Accepted: 240, Completed: 150, Failed: 3}, client.StatusMinute{Accepted: 120, Completed: 75}
	v := topView{interval: 2 * time.Second, topRead: topRead{server: "http://127.0.0.1:8085", at: at}}
	v.status.At = at
	v.status.Dependencies = []client.Dependency{{Name: "dynamodb", OK: true, Millis: 3}, {Name: "nats", OK: true, Millis: 1}, {Name: "s3", Detail: strings.Repeat("refused ", 20)}}
	for i, name := range []string{"textfile", "feed", "photojob", "library"} {
		v.status.Areas = append(v.status.Areas, client.AreaStatus{Name: name, Waiting: uint64(i * 123_456), Oldest: at.Add(-time.Duration(i) * time.Hour), Minutes: minutes})
		items := client.AreaItems{Name: name, InFlight: 4, Retrying: i, DeadLetters: uint64(i)}
		for n := range 3 {
			items.Oldest = append(items.Oldest, client.StatusItem{
				ID: fmt.Sprintf("0192f7c0-7a3c-7cc1-b111-53f1c30f1c%d%d", i, n), QueuedAt: at.Add(-time.Duration(n+1) * time.Minute), State: "delivered", Attempt: n + 1,
			})
		}
		v.items.Areas = append(v.items.Areas, items)
		v.status.Sweeps = append(v.status.Sweeps, client.SweepStatus{Area: name, At: at.Add(-time.Minute), Found: i})
	}
	v.status.DeadLetters = map[string]uint64{"analyzer-library-light": 6, "query-webhook": 2}
	v.status.Sweeps[0].Stops = []client.SweepStop{{Found: "orphan_object", Orphans: 90, Of: 90, Reason: strings.Repeat("the table is empty ", 10)}}
	for i := range 8 {
		v.items.Errors = append(v.items.Errors, client.StatusError{
			At: at.Add(-time.Duration(i) * time.Minute), Kind: "dead", Area: "textfile", ID: "0192f7c0", Sequence: uint64(i), Text: "bad\x1b[2J" + strings.Repeat(" reason", 30),
		})
	}
	return v
}

var controls = regexp.MustCompile("\x1b\\[[0-9]*m")

// TestFrameFitsTheTerminal checks that a busy frame fits terminals of several sizes and shows a part of each section at 80×24.
func TestFrameFitsTheTerminal(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {80, 12}, {40, 10}, {132, 50}, {20, 3}} {
		for _, color := range []bool{false, true} {
			v := busyTop()
			v.color = color
			lines := v.frame(v.at, size[0], size[1])
			if len(lines) > size[1] {
				t.Errorf("%v: the frame has %d lines", size, len(lines))
			}
			for _, line := range lines {
				plain := controls.ReplaceAllString(line, "")
				if wide := utf8.RuneCountInString(plain); wide > size[0] && size[0] >= 80 {
					t.Errorf("%v: the line %q has %d columns", size, plain, wide)
				}
				if strings.ContainsAny(plain, "\x1b\n\r") || !color && plain != line {
					t.Errorf("%v: the line %q has control codes", size, line)
				}
			}
		}
	}
	v := busyTop()
	text := strings.Join(v.frame(v.at, 80, 24), "\n")
	for _, want := range []string{
		"every 2s", "s3 FAILS", "ACCEPT/M", "textfile       240      150      2.0", "library", "\nother     " + strings.Repeat(" ", 69) + "2\n", "OLDEST ITEMS", "attempt 3", "LAST ERRORS", "dead 0", `"bad\x1b[2J reason`, "SWEEPS", "STOPPED",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the frame does not contain %q:\n%s", want, text)
		}
	}
}

// TestLostServerIsInTheHeader checks the first line while the server does not respond, before and after the first read.
func TestLostServerIsInTheHeader(t *testing.T) {
	v := busyTop()
	v.lost = errors.New("refused")
	lines := v.frame(v.at.Add(14*time.Second), 80, 24)
	if !strings.Contains(lines[0], "NO DATA for 14s: refused") || len(lines) < 20 {
		t.Errorf("got %d lines and the first %q, want the last state and NO DATA for 14s", len(lines), lines[0])
	}
	v = topView{topRead: topRead{server: "http://a"}, lost: v.lost}
	if lines := v.frame(time.Now(), 80, 24); len(lines) != 1 || !strings.Contains(lines[0], "NO DATA: refused") {
		t.Errorf("got %q before the first read, want one line with NO DATA", lines)
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m01s", 125 * time.Minute: "2h05m", 49 * time.Hour: "2d01h",
	} {
		if got := age(d); got != want {
			t.Errorf("age(%s) = %q, want %q", d, got, want)
		}
	}
}
