package table_test

import (
	"encoding/base64"
	"errors"
	"net/url"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/assay-project/assay/pkg/table"
)

func TestCursorRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(
			rapid.Map(rapid.String(), func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }),
			rapid.Map(rapid.StringMatching(`-?[1-9][0-9]{0,37}`), func(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }),
		)
		key := rapid.MapOfN(rapid.String(), value, 1, 4).Draw(t, "key")
		scope := rapid.String().Draw(t, "scope")
		text, err := table.Cursor(scope, key)
		if err != nil {
			t.Fatal(err)
		}
		if url.QueryEscape(text) != text {
			t.Fatalf("got cursor %s, want one that needs no escaping in a URL", text)
		}
		got, err := table.ParseCursor(scope, text)
		if err != nil || !reflect.DeepEqual(got, key) {
			t.Fatalf("got %v, error %v, want %v", got, err, key)
		}
		if _, err := table.ParseCursor(scope+"x", text); !errors.Is(err, table.ErrCursor) {
			t.Fatalf("another list: got error %v, want ErrCursor", err)
		}
	})
}

func TestEmptyCursorIsTheStart(t *testing.T) {
	if text, err := table.Cursor("list", nil); text != "" || err != nil {
		t.Errorf("got %q, error %v, want an empty text", text, err)
	}
	if key, err := table.ParseCursor("list", ""); key != nil || err != nil {
		t.Errorf("got %v, error %v, want nil", key, err)
	}
}

func TestForeignCursorsAreRejected(t *testing.T) {
	for _, plain := range []string{
		``, `null`, `{}`, `[]`, `{"s":"list"}`, `{"s":"list","k":{}}`, `{"s":"list","k":{"PK":{}}}`,
		`{"s":"list","k":{"PK":"a"}}`, `{"s":"other","k":{"PK":{"S":"a"}}}`, `{"s":"list","k":{"PK":{"S":7}}}`,
	} {
		text := base64.RawURLEncoding.EncodeToString([]byte(plain))
		if text == "" {
			text = "*"
		}
		if key, err := table.ParseCursor("list", text); !errors.Is(err, table.ErrCursor) {
			t.Errorf("%s: got %v, error %v, want ErrCursor", plain, key, err)
		}
	}
}

func TestCursorOfAnInvalidKey(t *testing.T) {
	if text, err := table.Cursor("list", table.Key{"PK": &types.AttributeValueMemberBOOL{Value: true}}); err == nil {
		t.Errorf("got %s, want an error", text)
	}
}
