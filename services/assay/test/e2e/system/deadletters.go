package system

import (
	"errors"
	"fmt"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// Dead runs `assay dead …` at an operator address and returns its output.
func Dead(t *testing.T, operator string, args ...string) string {
	t.Helper()
	p := Launch(t, "assay", []string{"ASSAY_OPERATOR=" + operator}, append([]string{"dead"}, args...)...)
	if status := p.End(t); status != 0 {
		t.Fatalf("assay dead %v: exit status %d, want 0: %s", args, status, p.Output)
	}
	return p.Output.String()
}

// OperatorClient returns a client of the operator address.
func OperatorClient(t *testing.T, url string) *client.Client {
	t.Helper()
	return System{HTTP: url}.Client(t, "")
}

// DeadLetters waits until a file has the wanted number of dead letters, and returns them.
func DeadLetters(t *testing.T, operator *client.Client, fileID string, want int) []client.DeadLetter {
	t.Helper()
	var mine []client.DeadLetter
	Eventually(t, func() error {
		mine = nil
		all, more, err := operator.DeadLetters(t.Context(), client.DeadFilter{Consumer: "analyzer-textfile"}, 0, 1000)
		if err != nil || more {
			return errors.Join(err, errors.New("cannot list all dead letters on one page"))
		}
		for _, deadLetter := range all {
			if deadLetter.Item == fileID {
				mine = append(mine, deadLetter)
			}
		}
		if len(mine) != want {
			return fmt.Errorf("%d dead letters, want %d", len(mine), want)
		}
		return nil
	})
	return mine
}

// NoDeadLetters waits until a work stream is empty, and checks that there are no dead letters.
func NoDeadLetters(t *testing.T, s System, operator *client.Client, stream string) {
	t.Helper()
	js := s.JetStream(t)
	Eventually(t, func() error {
		work, err := js.Stream(Within(t), stream)
		if err != nil {
			return err
		}
		if n := work.CachedInfo().State.Msgs; n > 0 {
			return fmt.Errorf("%s has %d messages, want 0", stream, n)
		}
		return nil
	})
	if left, _, err := operator.DeadLetters(Within(t), client.DeadFilter{}, 0, 100); err != nil || len(left) != 0 {
		t.Errorf("the dead letters are %+v, %v, want none", left, err)
	}
}
