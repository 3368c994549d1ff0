package recall_test

import (
	"fmt"

	"github.com/assay-project/assay/pkg/extract/recall"
)

func Example() {
	reference, text := recall.Words("The fox, the Füchse; 12 foxes."), recall.Words("the FÜCHSE and 12 foxes")
	fmt.Println(recall.Found(reference, text), recall.Of(reference, text) > 0.6, recall.Of(nil, text))
	// Output: 4 true 1
}
