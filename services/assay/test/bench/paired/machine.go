package paired

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

var modelName = regexp.MustCompile(`(?m)^model name\s*: (.*)$`)

// Machine describes the machine and the Go runtime in one line.
func Machine() string {
	model := "unknown processor"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if found := modelName.FindSubmatch(info); found != nil {
			model = string(found[1])
		}
	}
	level := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" {
				level = ", GOAMD64=" + s.Value
			}
		}
	}
	return fmt.Sprintf("%s, %d processors, %s/%s%s, %s, GOGC=%s", model, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, level,
		runtime.Version(), cmp.Or(os.Getenv("GOGC"), "default"))
}

// PrintMachine writes the description of the machine and its load, with which the output of every benchmark begins.
func PrintMachine(out io.Writer) { fmt.Fprintf(out, "%s\nload %s\n", Machine(), Load()) }

// Load returns the load averages of the machine, or "unknown".
func Load() string {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(load))[:3], " ")
}
