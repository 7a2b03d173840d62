"""What operators ask and do: status, why, what if, retry, approve, erase, doctor. No terminal, no HTTP."""
