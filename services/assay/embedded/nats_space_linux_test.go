package embedded

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite/disktest"
)

// TestNATSRecoversFromFullDisk checks that the server recovers without a restart of the process
// and has all acknowledged messages.
func TestNATSRecoversFromFullDisk(t *testing.T) {
	disktest.Run(t, "size=96m", func(t *testing.T, dir string) {
		js := connect(t, startNATS(t, NATSConfig{Dir: dir}).URL())
		addStream(t, js)
		free := disktest.Fill(t, dir, 90<<20)
		stored := uint64(0)
		publish := func() error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := js.Publish(ctx, fmt.Sprintf("events.%d", stored), make([]byte, 512<<10))
			if err == nil {
				stored++
			}
			return err
		}
		for publish() == nil {
			if stored > 100 {
				t.Fatal("all messages were stored, want a full disk")
			}
		}
		if stored == 0 {
			t.Fatal("no message was stored before the disk was full, want at least one")
		}
		free()
		for err := publish(); err != nil; err = publish() {
			if t.Context().Err() != nil {
				t.Fatal(err)
			}
		}
		if n := messages(t, js); n < stored {
			t.Errorf("got %d stored messages, want at least the %d acknowledged ones", n, stored)
		}
	})
}
