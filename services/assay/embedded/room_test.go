package embedded

import (
	"runtime"
	"testing"
)

func TestRoomForSyncsIsGivenBack(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	before := runtime.GOMAXPROCS(0)
	undo := RoomForSyncs()
	if got := runtime.GOMAXPROCS(0); got <= before {
		t.Errorf("%d may run at once, want more than %d", got, before)
	}
	undo()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("%d may run at once afterwards, want %d", got, before)
	}
	t.Setenv("GOMAXPROCS", "1")
	defer RoomForSyncs()()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("%d may run at once, and the environment is not heeded", got)
	}
}
