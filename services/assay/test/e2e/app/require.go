package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// require returns the path of the browser. If a required program is missing, it skips the test, and the first call also
// says so on the standard error of the go command, which shows nothing of a package that passes. `make check` installs
// the programs.
func require(t *testing.T) string {
	t.Helper()
	program, missing := programs()
	if missing == "" {
		return program
	}
	reported.Do(func() {
		report("not run: the tests of the web app, which require " + missing + "; make check installs it")
	})
	t.Skip(missing + " is not installed")
	return ""
}

var reported sync.Once

// programs returns the path of the browser, or the name of a required program that is not installed.
func programs() (browser, missing string) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		return "", "Chromium"
	}
	if _, err := os.Stat(axePath); err == nil {
		return browser, ""
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return "", "npm"
	}
	return browser, ""
}

// report prints a line on the standard error of the go command. On systems other than Linux, only the output of
// go test -v names the tests that were skipped.
func report(line string) {
	stderr, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/2", os.Getppid()), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	fmt.Fprintln(stderr, line)
	_ = stderr.Close()
}

// appDir is the source directory of the web app.
const appDir = "../../../../query/ui/app"

var axePath = filepath.Join(appDir, "node_modules", "axe-core", "axe.min.js")

// axeScript returns axe-core, which npm installs next to the sources of the app.
var axeScript = func() func(*testing.T) string {
	var once sync.Once
	var script string
	return func(t *testing.T) string {
		t.Helper()
		once.Do(func() {
			if _, err := os.Stat(axePath); err != nil {
				install := exec.CommandContext(t.Context(), "npm", "ci", "--silent", "--no-audit", "--no-fund")
				install.Dir = appDir
				if out, err := install.CombinedOutput(); err != nil {
					t.Errorf("npm ci (requires Node.js) failed: %v\n%s", err, out)
				}
			}
			content, err := os.ReadFile(axePath)
			if err != nil {
				t.Fatal(err)
			}
			script = string(content)
		})
		return script
	}
}()
