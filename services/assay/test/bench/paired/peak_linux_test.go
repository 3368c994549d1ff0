package paired

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
)

// childVariable is the environment variable that makes the test binary print its peak memory and exit.
const childVariable = "ASSAY_TEST_PEAK"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	peak, err := OwnPeak()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(peak)
}

func TestPeakExcludesParent(t *testing.T) {
	const size = 256 << 20
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_SHARED|syscall.MAP_POPULATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	}()
	if peak, err := OwnPeak(); err != nil || peak < size {
		t.Fatalf("OwnPeak() = %.0f, %v, want at least %d", peak, err, size)
	}
	_, output, err := Process{Path: os.Args[0], Env: []string{childVariable + "=1"}}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	peak, err := strconv.ParseFloat(string(output), 64)
	if err != nil {
		t.Fatal(err)
	}
	if peak < 1<<20 || peak > size/2 {
		t.Errorf("peak memory of a small child process = %.0f bytes, want %d to %d", peak, 1<<20, size/2)
	}
}
