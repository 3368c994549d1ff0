package table

import (
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// FuzzCursor checks that a key parsed from arbitrary text has a cursor that is parsed as the same
// key, and that another list rejects the text.
func FuzzCursor(f *testing.F) {
	cursor, err := Cursor("files", Key{"PK": &types.AttributeValueMemberS{Value: "FILE#1"}, "n": &types.AttributeValueMemberN{Value: "1"}})
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"", cursor, cursor[1:], "e30", "eyJzIjoiZmlsZXMiLCJrIjp7ImEiOnt9fX0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, err := ParseCursor("files", text)
		if err != nil || key == nil {
			return
		}
		again, err := Cursor("files", key)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := ParseCursor("files", again); err != nil || !reflect.DeepEqual(same, key) {
			t.Fatalf("the cursor of %v is parsed as %v, error %v, want %v", key, same, err, key)
		}
		if _, err := ParseCursor("others", text); err == nil {
			t.Fatalf("another list accepted %q, want an error", text)
		}
	})
}
