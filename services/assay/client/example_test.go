package client_test

import (
	"context"
	"fmt"
	"os"

	"github.com/assay-project/assay/services/assay/client"
)

// A large file is uploaded in parts. If the program is interrupted, the next run continues the upload, because
// the Key is the same.
func ExampleClient_Upload() {
	c, err := client.New(client.Config{Server: "http://127.0.0.1:8080", OwnerID: "an-owner"})
	if err != nil {
		panic(err)
	}
	defer c.Close()
	content, err := os.Open("corpus.txt")
	if err != nil {
		panic(err)
	}
	info, err := content.Stat()
	if err != nil {
		panic(err)
	}
	file, err := c.Upload(context.Background(), client.Source{
		Reservation: client.Reservation{FileName: "corpus.txt", Size: info.Size(), ContentType: "text/plain", Key: "corpus-2026-11"},
		Content:     content,
		Progress:    func(sent int64) { fmt.Printf("%d of %d bytes\n", sent, info.Size()) },
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(file.FileID, file.Status)
}
