/** Keys of docs/service.md for `draft_cosigners`. */
export const PAPER_COSIGNERS = [
  'DqLNQVQDuwZVmvSYZ2YDFKDbBX7ZGfYPGN2SuPzRaLK',
  '9xKzR1CG4kEKYQMu9FDD7pnoUf7dxkzxDmSWrw9ttgHa',
  'EJVSYgnRDYDWFYce9j3GfivGRghShZnftaTBB4UmjKL9',
  'CL5bKfEh2GYbGnYTgkBNHjHjLXf9hzEkonwRPGTXmn1D',
] as const;
