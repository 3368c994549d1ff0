package office_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/extract/office/officetest"
	sentence "github.com/assay-project/assay/pkg/extract/reason"
)

func ExampleRead() {
	file := officetest.Word(officetest.Paragraph("", "Dear fox"))
	document, err := office.Read(context.Background(), bytes.NewReader(file), int64(len(file)), office.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(document.Format, document.Text)

	_, err = office.Read(context.Background(), bytes.NewReader(file[:100]), 100, office.Limits{})
	text, permanent, _ := sentence.Find(err)
	fmt.Println(text, permanent)
	// Output:
	// docx Dear fox
	// the document is damaged: its archive has no directory true
}
