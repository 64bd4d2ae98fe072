package terminal

import (
	"context"
	"os"
)

// Keys tells of each key that is pressed, without waiting for a line, where input and messages are a person's; elsewhere
// the channel is nil, on which nothing ever comes. restore makes the terminal what it was, and must be called.
func (s *IO) Keys(ctx context.Context) (keys <-chan byte, restore func()) {
	file, ok := s.In.(*os.File)
	if !ok || !s.inTTY || !s.errTTY {
		return nil, func() {}
	}
	restore, err := singleKeys(int(file.Fd()))
	if err != nil {
		return nil, func() {}
	}
	pressed := make(chan byte)
	go func() {
		// A read cannot be taken back; it ends with the program.
		buffer := make([]byte, 1)
		for {
			n, err := file.Read(buffer)
			if err != nil {
				return
			}
			if n == 0 {
				continue
			}
			select {
			case pressed <- buffer[0]:
			case <-ctx.Done():
				return
			}
		}
	}()
	return pressed, restore
}
