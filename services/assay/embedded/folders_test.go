package embedded

import "testing"

// TestFoldersForgetWhatMayBeRemoved checks that directories recorded before or during a removal are
// unknown afterwards.
func TestFoldersForgetWhatMayBeRemoved(t *testing.T) {
	var f folders
	known := func() bool { kept, _ := f.keeps("a"); return kept }
	learn := func(meanwhile func()) {
		_, since := f.keeps("a")
		meanwhile()
		f.keep("a", since)
	}
	if learn(func() {}); !known() {
		t.Fatal("what was synced is not known")
	}
	done := f.remove()
	if known() {
		t.Error("known while a removal is under way")
	}
	if learn(func() {}); known() {
		t.Error("learnt while a removal is under way")
	}
	if learn(done); known() {
		t.Error("learnt of a sync that a removal ended in")
	}
	if learn(func() { f.remove()() }); known() {
		t.Error("learnt of a sync that a removal came into")
	}
	if learn(func() {}); !known() {
		t.Error("not learnt after the removals")
	}
	for i := range 2 * keptFolders {
		f.keep(string(rune(i)), f.removed)
	}
	if len(f.kept) > keptFolders {
		t.Errorf("%d folders are remembered, want %d at most", len(f.kept), keptFolders)
	}
}
