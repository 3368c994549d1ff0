package tutorial

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// update rewrites the picture: go test ./services/assay/test/e2e/tutorial -run Cast -update.
var update = flag.Bool("update", false, "rewrite docs/images/terminal.svg from a run of the commands")

const castPath = "../../../../../docs/images/terminal.svg"

// session are the commands of the picture.
func session() []string {
	return []string{
		"echo 'One fish, two fish, red fish, blue fish.' >fish.txt",
		"assay upload --wait fish.txt",
		"printf 'name,smiles,dose\\nAspirin,CC(=O)Oc1ccccc1C(=O)O,500\\nCaffeine,Cn1cnc2c1c(=O)n(C)c(=O)n2C,100\\n' >drugs.csv",
		"assay library put --wait --to /Trials drugs.csv",
		"assay library records /Trials/drugs.csv --filter 'dose > 100' --fields dose",
		"assay library ls /Trials",
		"assay list",
	}
}

// TestCast checks that the picture of the README shows what the commands print now, except for ids, times and durations. It
// is made from a run of the commands, with the colors of a terminal and without the progress bars of uploads.
func TestCast(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	r.start(t, "assay serve")
	r.env = append(r.env, "ASSAY_OWNER=me")
	var scenes []scene
	for _, command := range session() {
		scenes = append(scenes, r.record(t, command))
	}
	got := picture(scenes)
	if *update {
		if err := os.WriteFile(castPath, []byte(got), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(castPath)
	if err != nil {
		t.Fatal(err)
	}
	if have, want := shownBy(string(committed)), shownBy(got); have != want {
		t.Errorf("the picture shows\n%s\nthe commands print\n%s\nmake it again with -update", have, want)
	}
	if duration := regexp.MustCompile(`animation-duration: (\d+)s`).FindStringSubmatch(string(committed)); duration == nil || duration[1] != "30" {
		t.Errorf("the picture lasts %v s, want 30", duration)
	}
}

// record runs a command with standard output on a terminal.
func (r *reader) record(t *testing.T, command string) scene {
	t.Helper()
	user, program := pseudoterminal(t)
	c := r.shell(t, "-euc", command)
	var errs bytes.Buffer
	c.Stdout, c.Stderr = program, &errs
	began := time.Now()
	text := make(chan string, 1)
	go func() {
		written, err := io.ReadAll(user)
		if err != nil && !errors.Is(err, syscall.EIO) { // EIO: no program has the terminal any more
			written = append(written, err.Error()...)
		}
		text <- string(written)
	}()
	err := c.Run()
	took := time.Since(began)
	if err := errors.Join(err, program.Close()); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, errs.String())
	}
	output := strings.ReplaceAll(<-text, "\r\n", "\n") + errs.String()
	return scene{command: command, took: took, lines: strings.Split(strings.TrimSuffix(output, "\n"), "\n")}
}

// pseudoterminal returns both ends of a terminal that is wide enough for all lines.
func pseudoterminal(t *testing.T) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = user.Close() })
	number, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(user.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 200, Row: 50})
	}
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return user, program
}
