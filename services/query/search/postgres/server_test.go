//go:build !noclients

package postgres_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/postgres"
)

var required = flag.Bool("postgres.required", false, "fail instead of skipping the tests if no PostgreSQL server is installed")

// server is a PostgreSQL server of this process.
type server struct {
	dir string
	url string
	err error // why there is none
}

var (
	begun   sync.Once
	running server
)

func TestMain(m *testing.M) {
	flag.Parse()
	status := m.Run()
	if running.url != "" {
		if err := running.stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
	}
	os.Exit(status)
}

// database returns the URL of a database, and skips the test if no server is installed.
func database(t testing.TB) string {
	t.Helper()
	begun.Do(func() { running.err = running.start() })
	switch {
	case running.err == nil:
	case *required:
		t.Fatal(running.err)
	case errors.Is(running.err, errNoServer):
		t.Skip(running.err)
	default:
		t.Fatal(running.err)
	}
	return running.url
}

var errNoServer = errors.New("no PostgreSQL server in /usr/lib/postgresql: install the package postgresql to run this test")

// start creates a database in a temporary folder and starts a server, as an unprivileged user: the server refuses to run as root.
func (s *server) start() error {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return errors.Join(err, errNoServer)
	}
	slices.Sort(found)
	if s.dir, err = os.MkdirTemp("", "assay-postgres-"); err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		uid, err := unprivileged()
		if err == nil {
			err = os.Chown(s.dir, uid, -1)
		}
		if err != nil {
			return err
		}
	}
	bin := filepath.Dir(found[len(found)-1])
	if err := s.run(filepath.Join(bin, "initdb"), "-D", s.data(), "-U", "assay", "-E", "UTF8", "--locale=C", "-A", "trust", "--no-sync"); err != nil {
		return err
	}
	options := fmt.Sprintf("-k %s -h '' -c fsync=off -c shared_buffers=256MB -c max_wal_size=4GB", s.dir)
	if err := s.run(filepath.Join(bin, "pg_ctl"), "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-o", options, "-w", "start"); err != nil {
		return err
	}
	s.url = "postgres:///postgres?user=assay&host=" + s.dir
	return nil
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

func (s *server) stop() error {
	pid, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return err
	}
	var number int
	if _, err := fmt.Sscan(string(pid), &number); err != nil {
		return err
	}
	process, err := os.FindProcess(number)
	if err == nil {
		err = process.Signal(syscall.SIGQUIT) // ends at once
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// run runs a program as the owner of the folder.
func (s *server) run(name string, args ...string) error {
	command := exec.CommandContext(context.Background(), name, args...)
	command.Dir = s.dir
	if os.Geteuid() == 0 {
		uid, err := unprivileged()
		if err != nil {
			return err
		}
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	log, err := os.CreateTemp("", "assay-postgres-log-") // a pipe would remain open in the server
	if err != nil {
		return err
	}
	defer os.Remove(log.Name()) //nolint:errcheck // it is temporary
	command.Stdout, command.Stderr = log, log
	if err := errors.Join(command.Run(), log.Close()); err != nil {
		output, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w\n%s", name, err, output)
	}
	return nil
}

// unprivileged returns the id of a user without privileges.
func unprivileged() (int, error) {
	found, err := user.Lookup("postgres")
	if err != nil {
		found, err = user.Lookup("nobody")
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(found.Uid)
}

// areaOf returns the name of an area for a path.
func areaOf(path string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(path)) // never fails
	return fmt.Sprintf("test_%x", h.Sum64())
}

// opener returns a function that opens the index of a path in this process, which writes.
func opener(url string) func(ctx context.Context, path string) (search.Index, error) {
	return func(ctx context.Context, path string) (search.Index, error) { return leading(ctx, url, areaOf(path)) }
}

// leading opens an index and waits until it writes.
func leading(ctx context.Context, url, area string) (*postgres.Index, error) {
	x, err := postgres.Open(ctx, url, area, false)
	if err != nil {
		return nil, err
	}
	if err := x.Lead(ctx); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}
