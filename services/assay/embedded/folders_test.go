package embedded

import "testing"

// TestRemovalClearsRecordedFolders checks that directories recorded before or during a removal are
// unknown afterwards.
func TestRemovalClearsRecordedFolders(t *testing.T) {
	var f folders
	recorded := func() bool { kept, _ := f.keeps("a"); return kept }
	sync := func(meanwhile func()) {
		_, since := f.keeps("a")
		meanwhile()
		f.keep("a", since)
	}
	if sync(func() {}); !recorded() {
		t.Fatal("after a sync: recorded = false, want true")
	}
	done := f.remove()
	if recorded() {
		t.Error("during a removal: recorded = true, want false")
	}
	if sync(func() {}); recorded() {
		t.Error("after a sync during a removal: recorded = true, want false")
	}
	if sync(done); recorded() {
		t.Error("after a sync during which a removal ended: recorded = true, want false")
	}
	if sync(func() { f.remove()() }); recorded() {
		t.Error("after a sync during which a removal began and ended: recorded = true, want false")
	}
	if sync(func() {}); !recorded() {
		t.Error("after a sync that followed all removals: recorded = false, want true")
	}
	for i := range 2 * keptFolders {
		f.keep(string(rune(i)), f.removed)
	}
	if len(f.kept) > keptFolders {
		t.Errorf("got %d recorded directories, want at most %d", len(f.kept), keptFolders)
	}
}
