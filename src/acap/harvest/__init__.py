"""What a crawler keeps: copies with the policy that permitted them, judged again, and deleted when it ends."""
