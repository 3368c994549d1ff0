package attempt

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestUnreadRecordIsKept checks that an attempt whose record could not be read does not replace it when it is reverted:
// the server's count includes returned deliveries, which are not attempts.
func TestUnreadRecordIsKept(t *testing.T) {
	unavailable := errors.New("unavailable")
	writes, failed := 0, error(nil)
	l := NewLog(Records{
		Read:   func(context.Context, uint64) ([]byte, error) { return nil, unavailable },
		Write:  func(context.Context, uint64, []byte) error { writes++; return nil },
		Failed: func(_ Message, err error) { failed = err },
	}, 0, 1)
	a := l.Begin(t.Context(), Message{Item: "an item", Sequence: 1, Stored: time.Now(), Delivered: 5})
	a.Revert(t.Context())
	a.End(t.Context(), false)
	if a.Number != 5 || writes != 0 || !errors.Is(failed, unavailable) {
		t.Errorf("attempt %d, %d writes, reported error %v; want 5, 0, %v", a.Number, writes, failed, unavailable)
	}
}
