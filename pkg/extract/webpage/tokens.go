package webpage

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// maxToken is the number of bytes of a token that are kept in memory. A longer text is returned in parts; a longer tag
// is dropped.
const maxToken = 1 << 20

// tokens reads the tokens of a page in constant memory.
type tokens struct {
	*html.Tokenizer
	source io.Reader
	closes string // what ends the last token, if it is a comment
	raw    string // the element whose content is being read as text, such as script
}

func newTokens(r io.Reader) *tokens {
	t := &tokens{}
	t.start(r)
	return t
}

// start tokenizes r, which begins inside the element raw.
func (t *tokens) start(r io.Reader) {
	t.source = r
	if t.raw != "" {
		r = io.MultiReader(strings.NewReader("<"+t.raw+">"), r)
	}
	t.Tokenizer = html.NewTokenizer(r)
	t.SetMaxBuf(maxToken)
	if t.raw != "" {
		t.Next()
	}
}

// next returns the type of the next token. It omits comments and document types.
func (t *tokens) next() html.TokenType {
	for {
		switch kind := t.Next(); kind {
		case html.CommentToken, html.DoctypeToken:
			t.closes = ">"
			if bytes.HasPrefix(t.Raw(), []byte("<!--")) {
				t.closes = "-->"
			}
			continue
		case html.ErrorToken:
			if !errors.Is(t.Err(), html.ErrBufferExceeded) {
				return kind
			}
		default:
			t.closes = ""
			return kind
		}
		rest := bufio.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(t.Buffered())), t.source))
		if len(t.Raw()) > 0 { // inside a tag
			t.closes = ">"
		}
		skip(rest, t.closes)
		t.closes = ""
		t.start(rest)
	}
}

// skip discards the input up to and including end. It stops at an error, which the next read returns.
func skip(r *bufio.Reader, end string) {
	for matched := 0; matched < len(end); {
		c, err := r.ReadByte()
		switch {
		case err != nil:
			return
		case c == end[matched]:
			matched++
		case matched > 1 && c == '-': // "--->" ends a comment too
		default:
			matched = 0
		}
	}
}
