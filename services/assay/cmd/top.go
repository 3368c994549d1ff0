package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/assay-project/assay/services/assay/client"
)

const (
	// minInterval limits the load that a view causes.
	minInterval = 500 * time.Millisecond
	// topPatience is the time after which a read counts as unanswered.
	topPatience = 5 * time.Second
	// topTick is the interval at which the size of the terminal is checked.
	topTick = 250 * time.Millisecond
)

func newTop(s *settings) *cobra.Command {
	var interval time.Duration
	var once bool
	cmd := &cobra.Command{
		Use: "top", Short: "Watch backlogs, rates, the oldest items and the last errors",
		Long: `Watch backlogs, rates, the oldest unfinished items, the last errors, the backends and the
sweeps on a terminal. q or Ctrl-C ends the view. A server that does not respond is shown
in the first line, and is asked again.

  ACCEPT/M DONE/M FAIL/M  per minute, in the last one to two minutes
  WAITING                 unfinished work, queued or in progress
  OLDEST                  age of the oldest of it
  IN FLIGHT               events that a worker has, or that wait for another attempt
  RETRYING                those of them that were delivered more than once
  DEAD                    dead letters; see assay dead

"assay trace ID" shows the path of one of the items. Without a terminal, with --once and
with --json, the command prints the state once.

It calls the operator address of query: --operator, else ASSAY_OPERATOR, else that of a
running "assay serve".`,
		Example: `  assay top
  assay top --interval 10s --operator http://127.0.0.1:8085
  assay top --once | mail -s "assay" ops@example.org`,
		Args: cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error {
			if interval < minInterval {
				return usage("--interval %s: must be %s or more", interval, minInterval)
			}
			return nil
		},
	}
	cmd.Flags().DurationVar(&interval, "interval", 2*time.Second, "time between two reads")
	cmd.Flags().BoolVar(&once, "once", false, "print the state once, without control codes")
	connect := func() (*client.Client, error) {
		s.patience = time.Nanosecond // one attempt: the view itself asks again
		return s.operatorClient()
	}
	cmd.RunE = with(connect, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		screen := terminalOf(cmd.OutOrStdout())
		if once || s.json || screen == nil {
			return s.printTop(cmd.Context(), c, cmd.OutOrStdout())
		}
		view := topView{topRead: topRead{server: c.Server()}, interval: interval, color: os.Getenv("NO_COLOR") == ""}
		return view.run(cmd.Context(), &topSource{connect, c}, cmd.InOrStdin(), screen)
	})
	return s.operators(cmd, "8085")
}

// terminalOf returns the file of a terminal, or nil if the stream is none.
func terminalOf(stream any) *os.File {
	file, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return file
}

// printTop prints the state once.
func (s *settings) printTop(ctx context.Context, c *client.Client, w io.Writer) error {
	read := readTop(ctx, c)
	if read.err != nil {
		return read.err
	}
	if s.json {
		return writeJSON(w, struct {
			client.Status
			Items client.StatusItems `json:"items"`
		}{read.status, read.items})
	}
	view := topView{topRead: read}
	for _, line := range view.frame(time.Now(), 0, 0) {
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// topRead is what a read of the server returned.
type topRead struct {
	server string    // URL
	at     time.Time // zero if nothing was read yet
	status client.Status
	items  client.StatusItems
	err    error
}

// readTop reads the state.
func readTop(ctx context.Context, c *client.Client) topRead {
	limited, cancel := context.WithTimeout(ctx, topPatience)
	defer cancel()
	r := topRead{server: c.Server()}
	if r.status, r.err = c.Status(limited); r.err == nil {
		r.items, r.err = c.StatusItems(limited)
	}
	if errors.Is(r.err, context.DeadlineExceeded) && ctx.Err() == nil {
		r.err = errors.New("no response within " + topPatience.String())
	}
	r.at = time.Now()
	return r
}

// topSource reads the state again and again.
type topSource struct {
	connect func() (*client.Client, error)
	client  *client.Client // nil after a failure
}

// read reads the state. After a failure it looks the server up again, because "assay serve" can have another address after a
// restart.
func (s *topSource) read(ctx context.Context) topRead {
	if s.client == nil {
		c, err := s.connect()
		if err != nil {
			return topRead{err: err}
		}
		s.client = c
	}
	r := readTop(ctx, s.client)
	if r.err != nil {
		s.client.Close()
		s.client = nil
	}
	return r
}

// topView is the state of the view on a terminal.
type topView struct {
	topRead  // the last successful read, with the server of the last one
	interval time.Duration
	color    bool
	lost     error // why the last read failed; nil if it did not
}

// Control codes of terminals, see ECMA-48 and the alternate screen of xterm.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l" // alternate screen, no cursor, no line wrap
	leaveScreen = "\x1b[?7h\x1b[?25h\x1b[?1049l"
	topLeft     = "\x1b[H"
	clearLine   = "\x1b[K"
	clearBelow  = "\x1b[J"
)

// run shows the view until ctx is done or a key ends it. It restores the terminal.
func (v *topView) run(ctx context.Context, source *topSource, stdin any, screen *os.File) (err error) {
	ctx, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer stop()
	keyboard := terminalOf(stdin)
	if keyboard != nil {
		before, failed := term.MakeRaw(int(keyboard.Fd()))
		if failed != nil {
			return failed
		}
		defer func() { err = cmp.Or(err, term.Restore(int(keyboard.Fd()), before)) }()
		go endOnKey(keyboard, stop)
	}
	if _, err := io.WriteString(screen, enterScreen); err != nil {
		return err
	}
	defer func() {
		_, failed := io.WriteString(screen, leaveScreen)
		err = cmp.Or(err, failed)
	}()
	reads := make(chan topRead)
	interval := v.interval
	reading.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			select {
			case reads <- source.read(ctx):
			case <-ctx.Done():
			}
			wait(ctx, interval-time.Since(began))
		}
	})
	tick := time.NewTicker(topTick)
	defer tick.Stop()
	for shown := ""; ; {
		drawn := v.draw(time.Now(), screen)
		if drawn != shown {
			if _, err := io.WriteString(screen, drawn); err != nil {
				return err
			}
			shown = drawn
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case read := <-reads:
			if v.lost = read.err; read.err == nil {
				v.topRead = read
			}
			v.server = cmp.Or(read.server, v.server)
		}
	}
}

// endOnKey calls stop when the user presses q or Ctrl-C, or the input ends.
func endOnKey(keyboard *os.File, stop func()) {
	defer stop()
	keys := make([]byte, 16)
	for {
		n, err := keyboard.Read(keys)
		if err != nil || bytes.ContainsAny(keys[:n], "qQ\x03") { // Ctrl-C is a character in raw mode
			return
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// draw returns the frame with the control codes that replace the previous one.
func (v *topView) draw(now time.Time, screen *os.File) string {
	width, height, err := term.GetSize(int(screen.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	text := []byte(topLeft)
	for i, line := range v.frame(now, width, height) {
		if i > 0 {
			text = append(text, "\r\n"...)
		}
		text = append(text, clearLine+line...) // cleared first: the last column keeps its character
	}
	return string(append(text, clearBelow...))
}
