package embedded

import "testing"

// TestRemovalClearsRecordedFolders checks that directories recorded before or during a removal are
// unknown afterwards.
func TestRemovalClearsRecordedFolders(t *testing.T) {
	var f folders
	known := func() bool { kept, _ := f.keeps("a"); return kept }
	learn := func(meanwhile func()) {
		_, since := f.keeps("a")
		meanwhile()
		f.keep("a", since)
	}
	if learn(func() {}); !known() {
		t.Fatal("a synced directory is not recorded")
	}
	done := f.remove()
	if known() {
		t.Error("the directory is recorded while a removal is in progress")
	}
	if learn(func() {}); known() {
		t.Error("a sync during a removal was recorded")
	}
	if learn(done); known() {
		t.Error("a sync was recorded although a removal ended during it")
	}
	if learn(func() { f.remove()() }); known() {
		t.Error("a sync was recorded although a removal began during it")
	}
	if learn(func() {}); !known() {
		t.Error("a sync after the removals was not recorded")
	}
	for i := range 2 * keptFolders {
		f.keep(string(rune(i)), f.removed)
	}
	if len(f.kept) > keptFolders {
		t.Errorf("%d directories are recorded, want at most %d", len(f.kept), keptFolders)
	}
}
